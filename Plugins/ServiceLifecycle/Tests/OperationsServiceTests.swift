#if ServiceLifecycle
import CurlewCore
import CurlewLoading
import CurlewOperations
import CurlewServiceLifecycle
import Foundation
import Glibc
import HTTPTypes
import Logging
import ServiceLifecycle
import Synchronization
import Testing
import UnixSignals

/// Operations in service groups that are shut down; the signals are real ones.
@Suite(.serialized, .timeLimit(.minutes(10))) struct OperationsServiceTests {
  private func group(_ service: OperationsService, signals: [UnixSignal] = []) -> ServiceGroup {
    ServiceGroup(
      configuration: .init(
        services: [.init(service: service)], gracefulShutdownSignals: signals, logger: Logger(label: "test")))
  }

  private func operation(_ transport: HeldTransport) throws -> URLConnectionOperation {
    let operation = URLConnectionOperation(try Request(.get, "http://held.test/"), over: Loader(transport))
    operation.completionQueue = DispatchQueue(label: "test")
    return operation
  }

  @Test func `on a real SIGTERM the group waits for an operation that runs`() async {
    await #expect(processExitsWith: .success) {
      let transport = HeldTransport()
      let service = OperationsService(grace: .seconds(60))
      let operation = URLConnectionOperation(try Request(.get, "http://held.test/"), over: Loader(transport))
      let expired = Mutex(false)
      operation.continueAtProcessEnd(under: service) { expired.withLock { $0 = true } }
      operation.start()
      await transport.arrived()
      let group = ServiceGroup(
        configuration: .init(
          services: [.init(service: service)], gracefulShutdownSignals: [.sigterm], logger: Logger(label: "test")))
      let running = Task { try await group.run() }
      // The group's own handler has to be there: until then the signal would end the process.
      while !SignalDisposition.isHandled(SIGTERM) { await Task.yield() }
      kill(getpid(), SIGTERM)
      for _ in 0..<1_000 { await Task.yield() }
      #expect(!operation.isFinished && service.workCount == 1)
      transport.release()
      try await running.value
      #expect(operation.isFinished && operation.error == nil && service.workCount == 0)
      #expect(!expired.withLock { $0 })
    }
  }

  @Test func `when the time is over the handler is called, the operation cancelled and the group ends`() async throws {
    let transport = HeldTransport()
    let service = OperationsService(grace: .milliseconds(50))
    let operation = try operation(transport)
    let wasCancelled = Mutex<[Bool]>([])
    operation.continueAtProcessEnd(under: service) { wasCancelled.withLock { $0.append(operation.isCancelled) } }
    operation.start()
    await transport.arrived()
    let group = group(service)
    let running = Task { try await group.run() }
    await group.triggerGracefulShutdown()
    try await running.value
    #expect(operation.error is CancellationError && wasCancelled.withLock { $0 } == [false])
    let late = try self.operation(transport)
    late.continueAtProcessEnd(under: service)
    #expect(late.isCancelled)
  }

  @Test func `a group that is cancelled leaves no time`() async throws {
    let transport = HeldTransport()
    let service = OperationsService(grace: .seconds(600))
    let operation = try operation(transport)
    operation.continueAtProcessEnd(under: service)
    operation.start()
    await transport.arrived()
    let group = group(service)
    let running = Task { try await group.run() }
    running.cancel()
    _ = await running.result
    #expect(operation.error is CancellationError)
  }

  @Test func `a group without work ends at once`() async throws {
    let service = OperationsService(grace: .seconds(600))
    let group = group(service)
    let running = Task { try await group.run() }
    await group.triggerGracefulShutdown()
    try await running.value
    #expect("\(service)".contains("600"))
  }
}

/// What the process does about a signal.
private enum SignalDisposition {
  static func isHandled(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    // Safe because a handler is a pointer, and SIG_DFL is the pointer with address 0.
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != 0
  }
}

/// Answers when it is released.
private final class HeldTransport: Transport {
  private let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
  private let (releases, releasing) = AsyncStream.makeStream(of: Void.self)

  var capabilities: TransportCapabilities { TransportCapabilities() }

  func arrived() async {
    var iterator = arrivals.makeAsyncIterator()
    await iterator.next()
  }

  func release() { releasing.finish() }

  nonisolated(nonsending) func send(_ request: Request, in exchange: Exchange) async throws -> Response {
    arrival.yield()
    for await _ in releases {}
    try Task.checkCancellation()
    return Response(head: ResponseHead(url: request.url, status: .ok), body: ResponseBody(Data()))
  }
}
#endif
