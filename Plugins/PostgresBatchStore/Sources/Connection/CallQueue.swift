#if Postgres
import CurlewCore
import CurlewStorage
import Synchronization

/// Carries out the calls of a store, one after the other, on a thread of its own with one connection.
///
/// A call is answered when its changes are durable. The calls that wait at the same time share one wait for the disk: each
/// transaction commits without it, and the last one settles all.
final class CallQueue: Sendable {
  /// A call that was carried out, and whose changes may not be durable yet.
  private struct Unsettled: Sendable {
    let limit: CallLimit
    let answer: @Sendable (PostgresError?) -> Void
  }

  private struct State {
    var waiting = 0
    var isClosed = false
    // The rest belongs to the thread; it is here because the state is guarded.
    var session: Session?
    var unsettled: [Unsettled] = []
  }

  /// The most calls that wait for one settling.
  private static let mostUnsettled = 64

  private let address: PostgresAddress
  private let schema: String
  private let access: PostgresBatchStore.Access
  private let timeout: Duration
  private let clock: any NetworkClock
  private let work = DiskWork()
  private let state = Mutex(State())

  /// - Parameter timeout: The longest time that a call waits for the server's answer.
  init(
    _ address: PostgresAddress, schema: String, access: PostgresBatchStore.Access, timeout: Duration,
    clock: any NetworkClock
  ) {
    self.address = address
    self.schema = schema
    self.access = access
    self.timeout = timeout
    self.clock = clock
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Carries out a call on the thread.
  ///
  /// A lost connection is not made again for this call, since it is not known whether it was carried out; the next call connects
  /// again. A server that does not answer in time counts as lost. A cancelled task waits for at most one second more.
  ///
  /// - Parameters:
  ///   - isChange: Whether the call can change the store, and is answered when that is durable.
  ///   - extra: The time that the call may take in addition to the timeout.
  /// - Throws: `PostgresError`; `.cancelled` if nothing was sent.
  func run<Output: Sendable>(
    isChange: Bool, extra: Duration = .zero,
    _ call: @escaping @Sendable (StoreConnection) throws(PostgresError) -> Output
  ) async throws(PostgresError) -> Output {
    let limit = CallLimit(timeout + extra, clock)
    let answer = Answer<Output>()
    let result = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        answer.attach(continuation)
        state.withLock { $0.waiting += 1 }
        work.enqueue { self.carryOut(limit, isChange: isChange, call) { answer.give($0) } }
      }
    } onCancel: { [clock] in
      guard limit.cancel() else { return }
      // The thread may be waiting for the server on behalf of another call.
      Task {
        try? await clock.sleep(until: clock.now.advanced(by: CallLimit.grace))
        if limit.giveUp() { answer.give(.failure(.cancelled)) }
      }
    }
    return try result.get()
  }

  /// Ends the connection when the calls before have been carried out; later calls fail.
  func close() async {
    await work.run {
      let session = self.state.withLock { state in
        state.isClosed = true
        defer { state.session = nil }
        return state.session
      }
      // The connection ends here, on its thread and outside the lock.
      _ = session
    }
  }

  /// Returns whether the server asks to try again later.
  func isStarting() async -> Bool {
    await work.run { [address] in PostgresConnection.isStarting(address) }
  }

  // MARK: On the thread

  private func carryOut<Output: Sendable>(
    _ limit: CallLimit, isChange: Bool, _ call: @Sendable (StoreConnection) throws(PostgresError) -> Output,
    _ answer: @escaping @Sendable (Result<Output, PostgresError>) -> Void
  ) {
    let isLast = state.withLock { state in
      state.waiting -= 1
      return state.waiting == 0
    }
    do throws(PostgresError) {
      let connection = try connected()
      guard limit.begin() else { throw .cancelled }
      connection.isOver = { limit.isOver }
      let output = try call(connection)
      if isChange, access == .writing {
        let unsettled = Unsettled(limit: limit) { error in answer(error.map { .failure($0) } ?? .success(output)) }
        state.withLock { $0.unsettled.append(unsettled) }
      } else {
        answer(.success(output))
      }
    } catch {
      answer(.failure(error))
      if error.isConnectionLost { disconnect(error) }
    }
    if isLast || state.withLock({ $0.unsettled.count }) >= Self.mostUnsettled { settle() }
  }

  private func connected() throws(PostgresError) -> StoreConnection {
    if let session = state.withLock({ $0.session }) { return session.connection }
    guard !isClosed else { throw .noConnection("the store is closed") }
    let limit = CallLimit(timeout, clock)
    _ = limit.begin()
    let connection = try StoreConnection(address, schema: schema, access: access) { limit.isOver }
    state.withLock { $0.session = Session(connection: connection) }
    return connection
  }

  private func settle() {
    let limits = state.withLock { $0.unsettled.map(\.limit) }
    guard !limits.isEmpty else { return }
    do throws(PostgresError) {
      let connection = try connected()
      connection.isOver = { limits.contains { $0.isOver } }
      try connection.settle()
      for call in takeUnsettled() { call.answer(nil) }
    } catch {
      disconnect(error)
    }
  }

  /// Drops the connection; the calls that were not durable yet fail with it.
  private func disconnect(_ error: PostgresError) {
    let session = state.withLock { state in
      defer { state.session = nil }
      return state.session
    }
    for call in takeUnsettled() { call.answer(error) }
    _ = session
  }

  private func takeUnsettled() -> [Unsettled] {
    state.withLock { state in
      defer { state.unsettled = [] }
      return state.unsettled
    }
  }
}

/// A connection while it is open.
// Safe because only the queue's thread uses it.
private struct Session: @unchecked Sendable {
  let connection: StoreConnection
}

/// The answer to one call, which is given once: by the thread, or by a cancellation before the call has begun.
private final class Answer<Output: Sendable>: Sendable {
  typealias Value = Result<Output, PostgresError>

  private enum State {
    case empty
    case awaited(UnsafeContinuation<Value, Never>)
    case given(Value)
  }

  private let state = Mutex(State.empty)

  /// Resumes the continuation with the answer, possibly at once.
  func attach(_ continuation: UnsafeContinuation<Value, Never>) {
    let value = state.withLock { state -> Value? in
      if case .given(let value) = state { return value }
      state = .awaited(continuation)
      return nil
    }
    if let value { continuation.resume(returning: value) }
  }

  /// Gives the answer; only the first one counts.
  func give(_ value: Value) {
    let continuation = state.withLock { state -> UnsafeContinuation<Value, Never>? in
      switch state {
      case .given: return nil
      case .empty:
        state = .given(value)
        return nil
      case .awaited(let continuation):
        state = .given(value)
        return continuation
      }
    }
    continuation?.resume(returning: value)
  }
}
#endif
