import CurlewCore
import FoundationEssentials
import HTTPTypes

/// An endpoint without sockets: its answers are given by the `StubTransport`s it makes.
///
/// ```swift
/// let endpoint = StubEndpoint()
/// try await TransportConformance(endpoint: endpoint).run { endpoint.makeTransport() }
/// ```
public final class StubEndpoint: ConformanceEndpoint {
  /// What it is, for messages.
  public let name = "the stub"
  /// What can be told without a wire.
  public let features: EndpointFeatures = [
    .reasonPhrases, .trailers, .informational, .progress, .departures, .cuts,
  ]
  private let table = PlaceTable()

  /// Makes an endpoint.
  public init() {}

  /// Opens a place.
  public func open(_ script: @escaping @Sendable (ConformanceRequest) -> ConformanceAnswer) -> ConformancePlace {
    table.open(at: "http://stub.test", script)
  }

  /// A stub that is answered here.
  public func makeTransport() -> StubTransport {
    StubTransport { [table] asked in
      let request = ConformanceRequest(asked)
      guard let place = table.place(target: request.target, fields: request.fields) else {
        return StubAnswer(.notFound)
      }
      return try await place.answer(request).stubAnswer(method: request.method, at: place)
    }
  }
}

extension ConformanceRequest {
  fileprivate init(_ asked: StubTransport.Asked) {
    var target = asked.request.url.path(percentEncoded: true)
    if target.isEmpty { target = "/" }
    if let query = asked.request.url.query(percentEncoded: true) { target += "?" + query }
    self.init(
      method: asked.request.method.rawValue, target: target, fields: OriginFields(asked.request.headerFields),
      content: [UInt8](asked.body))
  }
}

extension ConformanceAnswer {
  private static let stubChunk: Int64 = 65_536

  /// The answer as steps of a stub.
  fileprivate func stubAnswer(method: String, at place: ConformancePlace) async throws -> StubAnswer {
    if let holdsHead { try await place.holdThrowing(at: holdsHead) }
    let status = HTTPResponse.Status(code: self.status, reasonPhrase: reason ?? "")
    var answer = StubAnswer(
      reason == nil ? HTTPResponse.Status(code: self.status) : status, headerFields: HTTPFields(fields),
      trailers: trailers.lines.isEmpty ? nil : HTTPFields(trailers),
      informational: informational.map {
        HTTPResponse(status: HTTPResponse.Status(code: $0.status), headerFields: HTTPFields($0.fields))
      })
    answer.announcesLength = framing == .length
    if framing == .length, hasContent(method: method), fields["Content-Length"] == nil {
      answer.headerFields[.contentLength] = String(content.count)
    }
    answer.body = stubSteps(at: place)
    return answer
  }

  private func stubSteps(at place: ConformancePlace) -> [StubAnswer.Step] {
    var end = content.count
    if case .cut(let count) = ending { end = min(end, count) }
    var steps: [StubAnswer.Step] = []
    var position: Int64 = 0
    let hold = holdsContent.map { min($0.offset, end) }
    if hold == 0, let gate = holdsContent?.gate { steps.append(.hold(gate, place)) }
    while position < end {
      var next = min(end, position + Self.stubChunk)
      if let hold, position < hold { next = min(next, hold) }
      let count = next - position
      steps.append(.wait { place.noteSent(count) })
      steps.append(.bytes(Data(content.bytes(position..<next))))
      if next == hold, let gate = holdsContent?.gate { steps.append(.hold(gate, place)) }
      position = next
    }
    return steps
  }
}

extension StubAnswer.Step {
  fileprivate static func hold(_ gate: OriginGate, _ place: ConformancePlace) -> StubAnswer.Step {
    .wait { try await place.holdThrowing(at: gate) }
  }
}

extension ConformancePlace {
  fileprivate func holdThrowing(at gate: OriginGate) async throws {
    await hold(at: gate)
    try Task.checkCancellation()
  }
}

extension HTTPFields {
  /// The lines that are fields.
  fileprivate init(_ fields: OriginFields) {
    self.init(
      fields.lines.compactMap { line in
        HTTPField.Name(line.name).map { HTTPField(name: $0, value: line.value) }
      })
  }
}
