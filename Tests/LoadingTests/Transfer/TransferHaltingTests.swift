import CurlewCore
import CurlewLoading
import CurlewTestSupport
import Dispatch
import FoundationEssentials
import HTTPTypes
import Testing

/// When the writer of a paused transfer is quiet.
@Suite(.timeLimit(.minutes(10))) struct TransferHaltingTests {
  private let clock = ManualClock()
  private let never = ManualGate()
  private let letGo = ManualGate()
  private let halted = ManualGate()

  private func transfer(
    _ method: HTTPRequest.Method = .get, pausing: PausePolicy
  ) -> Transfer<TransferResult> {
    let stub = StubTransport(
      StubAnswer(body: [.bytes(Data(count: 10)), .wait { [never] in try await never.wait() }, .bytes(Data(count: 5))]))
    var configuration = Transfer<TransferResult>.Configuration(
      Fixture.request(method), to: BlockingSink(letGo: letGo), settings: Fixture.settings(clock: clock)
    ) { $0 }
    configuration.pausing = pausing
    return Transfer(Loader(stub), configuration)
  }

  private func watch(_ transfer: Transfer<TransferResult>) -> Task<Void, Never> {
    Task { [halted] in
      await transfer.halted()
      halted.open()
    }
  }

  /// Waits until another transfer, which is paused now and let go at once, is halted.
  private func otherIsHalted() async throws {
    let other = TransferHaltingTests()
    other.letGo.open()
    let transfer = other.transfer(pausing: .release(after: .zero))
    transfer.start()
    try await other.never.waitForArrivals()
    transfer.pause()
    await transfer.halted()
    transfer.cancel()
    await transfer.settled()
  }

  @Test func `it is halted when the writer of the attempt that was given up is let go`() async throws {
    let transfer = transfer(pausing: .release(after: .zero))
    let watch = watch(transfer)
    transfer.start()
    try await never.waitForArrivals()
    try await otherIsHalted()
    #expect(!halted.isOpen)
    transfer.pause()
    // The sink is told to abandon, and blocks.
    try await letGo.waitForArrivals()
    try await otherIsHalted()
    #expect(!halted.isOpen)
    letGo.open()
    await watch.value
    #expect(transfer.state == .paused)
    transfer.cancel()
    await transfer.settled()
  }

  @Test func `a connection that is held for a while first is waited for`() async throws {
    let transfer = transfer(pausing: .release(after: .seconds(5)))
    letGo.open()
    transfer.start()
    try await never.waitForArrivals()
    transfer.pause()
    let watch = watch(transfer)
    try await clock.waitForSleepers()
    try await otherIsHalted()
    #expect(!halted.isOpen)
    clock.advance(by: .seconds(5))
    await watch.value
    #expect(transfer.state == .paused)
    transfer.cancel()
    await transfer.settled()
  }

  @Test func `an attempt that is held is not waited for`() async throws {
    for (method, policy) in [(HTTPRequest.Method.get, PausePolicy.hold), (.post, .release(after: .zero))] {
      let transfer = transfer(method, pausing: policy)
      letGo.open()
      transfer.start()
      try await never.waitForArrivals()
      transfer.pause()
      await transfer.halted()
      #expect(transfer.state == .paused)
      transfer.cancel()
      await transfer.settled()
    }
  }

  @Test func `resuming in time goes on waiting, and the end of the transfer ends it`() async throws {
    let transfer = transfer(pausing: .release(after: .seconds(5)))
    transfer.start()
    try await never.waitForArrivals()
    transfer.pause()
    let watch = watch(transfer)
    try await clock.waitForSleepers()
    transfer.resume()
    try await otherIsHalted()
    #expect(!halted.isOpen)
    transfer.cancel()
    try await letGo.waitForArrivals()
    try await otherIsHalted()
    #expect(!halted.isOpen)
    letGo.open()
    await watch.value
    #expect(transfer.state == .finished)
  }

  @Test func `it is halted at once when it is paused before the start, or over`() async {
    let transfer = transfer(pausing: .hold)
    transfer.pause()
    await transfer.halted()
    transfer.cancel()
    await transfer.halted()
  }

  @Test func `it has settled only after each handler of its end was called, on whatever thread`() async throws {
    let transfer = transfer(pausing: .hold)
    transfer.start()
    try await never.waitForArrivals()
    letGo.open()
    let order = Collected<String>()
    let (isEnding, mayEnd) = (ManualGate(), DispatchSemaphore(value: 0))
    transfer.onFinish(on: CallbackExecutor { $0() }) { _ in
      isEnding.open()
      mayEnd.wait()
      order.append("handler")
    }
    // The thread that ends it belongs to none of its tasks.
    DispatchQueue.global().async { transfer.cancel() }
    try await isEnding.wait()
    let settling = Task {
      await transfer.settled()
      order.append("settled")
    }
    try await otherIsHalted()
    #expect(order.all.isEmpty)
    mayEnd.signal()
    await settling.value
    #expect(order.all == ["handler", "settled"])
  }
}

/// A sink that takes its time to let go.
private struct BlockingSink: TransferSink {
  let letGo: ManualGate

  func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter { Writer(letGo) }

  private final class Writer: TransferWriter {
    let letGo: ManualGate

    init(_ letGo: ManualGate) { self.letGo = letGo }

    func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand { .more }
    func finish() async throws -> TransferContent { .taken }
    func abandon() async {
      let letGo = letGo
      // The task is cancelled, and what a sink does then must still be waited for.
      await Task { try? await letGo.wait() }.value
    }
  }
}
