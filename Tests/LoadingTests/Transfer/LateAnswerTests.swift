import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// A transport that does not heed cancellation, and answers when nobody waits any more.
private struct HeedlessTransport: Transport {
  let gate: ManualGate
  let capabilities: TransportCapabilities = []

  func send(_ request: Request, in exchange: Exchange) async throws -> Response {
    let gate = gate
    // A task of its own is not cancelled together with the one that waits for it.
    await Task { try? await gate.wait() }.value
    return Response(head: ResponseHead(url: request.url, status: .ok), body: ResponseBody(Data("late".utf8)))
  }
}

@Suite(.timeLimit(.minutes(10))) struct LateAnswerTests {
  @Test func `an answer that comes after the end changes nothing of it`() async throws {
    let gate = ManualGate()
    let transfer = Transfer(
      Loader(HeedlessTransport(gate: gate)), Fixture.request(), to: .memory(limit: 9))
    transfer.start()
    try await gate.waitForArrivals()
    transfer.cancel()
    gate.open()
    await transfer.settled()
    #expect(transfer.response == nil)
    #expect(transfer.attempts.map { $0.response == nil } == [true])
    #expect(transfer.attempts.map(\.bytesReceived) == [0])
    #expect(transfer.error is CancellationError)
  }
}
