import CurlewCore
import CurlewHAR
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes

extension HAREntry {
  /// Returns the recorded response as a stub gives it.
  ///
  /// - Throws: The recorded error of a sending that had no response.
  func answer(keepsTimes: Bool, clock: any NetworkClock) async throws -> StubAnswer {
    if keepsTimes { try await clock.sleep(until: clock.now.advanced(by: untilHead)) }
    guard let head else {
      throw failure
        ?? NetworkError(.connectionFailed, stage: .connecting, message: "The recorded sending had no response.")
    }
    var answer = StubAnswer(head.status, headerFields: head.headerFields, version: head.version ?? .http11)
    answer.informational = informational
    answer.trailers = trailers
    answer.connectionReused = connectionReused ?? false
    answer.announcesLength = false
    if isDecoded {
      answer.headerFields[.contentEncoding] = nil
      answer.headerFields[.contentLength] = nil
      answer.headerFields[.transferEncoding] = nil
      answer.announcesLength = true
    }
    answer.body = steps(keepsTimes, clock)
    if let omission {
      answer.body.append(
        .failure(
          NetworkError(
            .notRecorded, stage: .receivingBody, message: "The recording has no more of this content: \(omission).")))
    } else if let failure {
      answer.body.append(.failure(failure))
    }
    return answer
  }

  private func steps(_ keepsTimes: Bool, _ clock: any NetworkClock) -> [StubAnswer.Step] {
    guard var rest = body, !rest.isEmpty else { return [] }
    let begin = clock.now
    var steps: [StubAnswer.Step] = []
    for piece in pieces where !rest.isEmpty {
      if keepsTimes { steps.append(.wait { try await clock.sleep(until: begin.advanced(by: piece.after)) }) }
      steps.append(.bytes(Data(rest.prefix(piece.bytes))))
      rest = rest.dropFirst(piece.bytes)
    }
    if !rest.isEmpty { steps.append(.bytes(Data(rest))) }
    return steps
  }
}
