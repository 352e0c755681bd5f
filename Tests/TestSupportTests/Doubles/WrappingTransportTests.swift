import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct WrappingTransportTests {
  let request: Request
  let lost = NetworkError(.connectionLost, stage: .awaitingHead, message: "Lost.")

  init() throws { request = try Request(.get, "http://stub.test/") }

  @Test func `a recording remembers requests and what became of them`() async throws {
    let stub = StubTransport(script: [.text("hello"), .text("hello"), .failing(lost)])
    let recording = RecordingTransport(stub)
    let first = try await recording.send(request, in: Exchange())
    _ = try await first.body.collect(upTo: 9)
    _ = try await recording.send(request, in: Exchange().derived(attempt: 2, freshConnection: true))
    _ = try? await recording.send(request, in: Exchange())
    let records = recording.records
    #expect(records.map(\.attempt) == [1, 2, 1])
    #expect(records.map(\.requiresFreshConnection) == [false, true, false])
    guard case .ended(_, bytes: 5) = records[0].outcome, case .dropped(_, bytes: 0) = records[1].outcome,
      case .failed = records[2].outcome
    else {
      Issue.record("unexpected outcomes: \(records.map(\.outcome))")
      return
    }
  }

  @Test func `a scripted fault strikes where it says`() async throws {
    let recording = RecordingTransport(StubTransport(.text("hello")))
    let failing = FailingTransport(
      recording,
      script: [.beforeSending(lost), .beforeHead(lost), .inBody(after: 3, lost), .stallInBody(after: 2), .none])
    await #expect(throws: NetworkError.self) { try await failing.send(request, in: Exchange()) }
    #expect(recording.requests.isEmpty)
    await #expect(throws: NetworkError.self) { try await failing.send(request, in: Exchange()) }
    #expect(recording.requests.count == 1)

    let cut = try await failing.send(request, in: Exchange())
    var iterator = cut.body.makeAsyncIterator()
    #expect(try await iterator.next() == Data("hel".utf8))
    await #expect(throws: NetworkError.self) { try await iterator.next() }

    let stalled = try await failing.send(request, in: Exchange())
    var waiting = stalled.body.makeAsyncIterator()
    #expect(try await waiting.next() == Data("he".utf8))
    stalled.body.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.next() }

    let whole = try await failing.send(request, in: Exchange())
    #expect(try await whole.body.collect(upTo: 9) == Data("hello".utf8))
  }

  @Test func `a stall before the head ends when the task is cancelled`() async throws {
    let failing = FailingTransport(StubTransport(.text("hello")), script: [.stallBeforeHead])
    let request = request
    let sending = Task { try await failing.send(request, in: Exchange()) }
    sending.cancel()
    await #expect(throws: CancellationError.self) { try await sending.value }
  }

  @Test func `the same seed gives the same faults`() async throws {
    func outcomes(_ seed: UInt64) async -> [Bool] {
      let failing = FailingTransport(
        StubTransport(.text("hello")), seed: seed, probability: 0.5, faults: [.beforeHead(lost)])
      var outcomes: [Bool] = []
      for _ in 0..<64 { outcomes.append((try? await failing.send(request, in: Exchange())) != nil) }
      return outcomes
    }
    let first = await outcomes(1)
    #expect(await outcomes(1) == first)
    #expect(await outcomes(2) != first)
    #expect(first.contains(true) && first.contains(false))
  }
}
