import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Answers byte for byte: each ends as a careful client ends it, and the next request gets its own answer.
@Suite(.timeLimit(.minutes(10))) struct RawAnswerTests {
  private enum Group: String, CaseIterable {
    case chunks, lengths, codings, statusLines, fields, informational, statuses

    var answers: [RawAnswer] {
      switch self {
      case .chunks: RawAnswer.chunks
      case .lengths: RawAnswer.lengths
      case .codings: RawAnswer.codings
      case .statusLines: RawAnswer.statusLines
      case .fields: RawAnswer.fields
      case .informational: RawAnswer.informational
      case .statuses: RawAnswer.statuses
      }
    }
  }

  private func get(
    _ path: String, from origin: ScriptedOrigin, over transport: CurlTransport
  ) async throws -> (
    status: Int, body: String
  ) {
    var request = Request(.get, origin.url(path))
    request.options.timeouts.idle = .seconds(20)
    let response = try await transport.send(request, in: Exchange())
    let body = try await response.body.collect(upTo: 1_000_000)
    return (response.head.status.code, String(decoding: body, as: UTF8.self))
  }

  private func check(_ answer: RawAnswer, _ outcome: Result<(status: Int, body: String), NetworkError>) {
    switch (answer.outcome, outcome) {
    case (.body(let body, let status), .success(let got)):
      #expect(got == (status, body), "\(answer.name)")
    case (.bodyOrFails(let body, _, _), .success(let got)): #expect(got == (200, body), "\(answer.name)")
    case (.fails(let kind, let stage), .failure(let error)),
      (.bodyOrFails(_, let kind, let stage), .failure(let error)):
      #expect(error.kind == kind && error.stage == stage, "\(answer.name): \(error)")
    case (.body, .failure(let error)): Issue.record("\(answer.name): \(error)")
    case (.fails, .success(let got)): Issue.record("\(answer.name) is \(got.status) with \(got.body.utf8.count) bytes")
    }
  }

  @Test(arguments: Group.allCases)
  private func `an answer ends as a careful client ends it, and does not touch the next`(group: Group) async throws {
    let answers = group.answers
    let origin = try await ScriptedOrigin.start { request in
      Int(request.path.dropFirst()).map { answers[$0].reply } ?? .ok("fine")
    }
    for (index, answer) in answers.enumerated() {
      let transport = try CurlTransport()
      do {
        check(answer, .success(try await get("/\(index)", from: origin, over: transport)))
      } catch let error as NetworkError {
        check(answer, .failure(error))
      }
      // The server may close the connection, which the next request then finds out first.
      let next = try await Loader(transport).data(for: Request(.get, origin.url("/fine")), upTo: 100)
      #expect(next.0 == Data("fine".utf8) && next.1.status == .ok, "after \(answer.name)")
      await transport.shutdown()
    }
    await origin.stop()
  }
}
