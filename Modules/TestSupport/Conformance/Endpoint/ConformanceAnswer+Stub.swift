import FoundationEssentials
import HTTPTypes

extension ConformanceAnswer {
  private static let stubChunk: Int64 = 65_536

  /// Returns the answer as steps of a stub.
  func stubAnswer(method: String, at place: ConformancePlace) async throws -> StubAnswer {
    if let holdsHead { try await holdsHead.pass() }
    let status = HTTPResponse.Status(code: self.status, reasonPhrase: reason ?? ReasonPhrase.of(self.status))
    var answer = StubAnswer(
      status, headerFields: HTTPFields(fields), body: stubSteps(at: place),
      trailers: trailers.lines.isEmpty ? nil : HTTPFields(trailers),
      informational: informational.map {
        HTTPResponse(status: HTTPResponse.Status(code: $0.status), headerFields: HTTPFields($0.fields))
      })
    answer.announcesLength = false
    if framing == .length, status.code != 204, status.code != 304, fields["Content-Length"] == nil {
      answer.headerFields[.contentLength] = String(content.count)
    }
    return answer
  }

  private func stubSteps(at place: ConformancePlace) -> [StubAnswer.Step] {
    var end = content.count
    if case .cut(let count) = ending { end = min(end, count) }
    var steps: [StubAnswer.Step] = []
    var position: Int64 = 0
    let hold = holdsContent.map { min($0.offset, end) }
    if hold == 0, let gate = holdsContent?.gate { steps.append(.wait { try await gate.pass() }) }
    while position < end {
      var next = min(end, position + Self.stubChunk)
      if let hold, position < hold { next = min(next, hold) }
      let range = position..<next
      steps.append(
        .made { [content] in
          place.noteSent(range.upperBound - range.lowerBound)
          return Data(content.bytes(range))
        })
      if next == hold, let gate = holdsContent?.gate { steps.append(.wait { try await gate.pass() }) }
      position = next
    }
    return steps
  }
}

extension OriginGate {
  /// Waits until the gate is open; throws when the task is cancelled first.
  fileprivate func pass() async throws {
    await Awaiting.oneCall { arrive($0) }
    try Task.checkCancellation()
  }
}

extension HTTPFields {
  /// Creates fields from the lines that are valid fields.
  fileprivate init(_ fields: OriginFields) {
    self.init(
      fields.lines.compactMap { line in
        HTTPField.Name(line.name).map { HTTPField(name: $0, value: line.value) }
      })
  }
}
