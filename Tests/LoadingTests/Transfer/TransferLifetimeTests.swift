import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import Testing

@testable import CurlewLoading

@Suite(.timeLimit(.minutes(10))) struct TransferLifetimeTests {
  /// Says when it is gone.
  private final class Canary: Sendable {
    let gone: ManualGate
    init(_ gone: ManualGate) { self.gone = gone }
    deinit { gone.open() }
  }

  private func transfer(_ stub: StubTransport, _ canary: Canary) -> Transfer<TransferResult> {
    var configuration = Transfer<TransferResult>.Configuration(
      request: { _ in
        _ = canary
        return Fixture.request()
      }, to: .memory(limit: 100), decode: { $0 })
    configuration.shouldRetry = { [canary] _, _ in
      _ = canary
      return .finish
    }
    return Transfer(Loader(stub), configuration)
  }

  @Test func `a transfer that finished is gone with its last reference, and its closures before`() async throws {
    let gone = ManualGate()
    var transfer: Transfer<TransferResult>? = transfer(StubTransport(.text("hello")), Canary(gone))
    weak let engine = transfer?.engine
    _ = try await transfer?.run()
    await transfer?.settled()
    try await gone.wait()
    transfer = nil
    await Fixture.wait(while: engine != nil)
  }

  @Test func `a transfer that finished does not keep the memory of its tasks`() async throws {
    let transfer = Transfer(Loader(StubTransport(.text("hello"))), Fixture.request(), to: .memory(limit: 100))
    _ = try await transfer.run()
    let attempt = try #require(transfer.engine.state.withLock { $0.attempt })
    await Fixture.wait(while: attempt.task != nil)
  }

  @Test func `closures that hold their own transfer are let go with its end`() async throws {
    let gone = ManualGate()
    weak var engine: TransferEngine?
    func run() async throws {
      let canary = Canary(gone)
      let transfer = transfer(StubTransport(.text("hello")), canary)
      engine = transfer.engine
      transfer.onFinish(on: .serial()) { _ in
        _ = transfer
        _ = canary
      }
      transfer.onStateChange(on: .serial()) { _ in _ = transfer }
      transfer.downloadProgress.observe(on: .serial()) { _ in _ = transfer }
      transfer.uploadProgress.observe(on: .serial()) { _ in _ = transfer }
      _ = try await transfer.run()
    }
    try await run()
    try await gone.wait()
    await Fixture.wait(while: engine != nil)
  }

  @Test func `a running transfer goes on to its end when nobody holds it`() async throws {
    let gate = ManualGate()
    let gone = ManualGate()
    let told = ManualGate()
    let stub = StubTransport { _ in
      try await gate.wait()
      return .text("hello")
    }
    func start() {
      let transfer = transfer(stub, Canary(gone))
      transfer.onFinish(on: .serial()) { outcome in
        if case .success = outcome { told.open() }
      }
      transfer.start()
    }
    start()
    try await gate.waitForArrivals()
    #expect(!gone.isOpen)
    gate.open()
    try await told.wait()
    try await gone.wait()
  }

  @Test func `a paused transfer that nobody holds is cancelled`() async throws {
    let gate = ManualGate()
    let gone = ManualGate()
    let told = ManualGate()
    let stub = StubTransport(
      StubAnswer(body: [.bytes(Data([1])), .wait { try await gate.wait() }, .bytes(Data([2]))]))
    func begin() async throws {
      let transfer = transfer(stub, Canary(gone))
      transfer.onFinish(on: .serial()) { outcome in
        if case .cancelled = outcome { told.open() }
      }
      transfer.start()
      try await gate.waitForArrivals()
      transfer.pause()
    }
    try await begin()
    try await told.wait()
    try await gone.wait()
    await Fixture.wait(while: stub.inFlightCount > 0)
  }

  @Test func `a transfer that was never started costs nothing when it goes`() async throws {
    let gone = ManualGate()
    let stub = StubTransport(.text(""))
    _ = transfer(stub, Canary(gone))
    try await gone.wait()
    #expect(stub.requestCount == 0)
  }

  @Test func `a value may ask its transfer in its deinit`() async throws {
    final class Curious: Sendable {
      let transfer: Guarded<Transfer<Curious>?> = Guarded(nil)
      deinit { _ = transfer.withLock { $0 }?.state }
    }
    let stub = StubTransport(.text(""))
    var configuration = Transfer<Curious>.Configuration(Fixture.request(), to: .memory(limit: 9)) { _ in Curious() }
    let current = Collected<Transfer<Curious>>()
    configuration.shouldRetry = { attempt, value in
      value?.transfer.withLock { $0 = current.all.first }
      return attempt.number < 3 ? .retry(after: .zero) : .finish
    }
    let transfer = Transfer(Loader(stub), configuration)
    current.append(transfer)
    _ = try await transfer.run()
    #expect(stub.requestCount == 3)
  }
}
