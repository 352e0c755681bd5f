#if Postgres
import CurlewCore
import CurlewStorage
import Synchronization

/// Carries out the calls of a store, on a thread of its own with one connection.
///
/// The calls that wait at the same time go to the server together, in one transaction, and a call is answered when its changes are
/// durable: that transaction commits without waiting for the disk, and a second one, sent with it, waits for both.
final class CallQueue: Sendable {
  private struct State {
    /// The calls that wait for their turn; while there are any, a turn is due.
    var waiting: [any PendingCall] = []
    var isClosed = false
    // It belongs to the thread, and is here because the state is guarded.
    var session: Session?
  }

  /// The most calls of one turn.
  private static let most = 64

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
  ///   - isRepeated: Whether an earlier attempt may have been carried out.
  ///   - isChange: Whether the call can change the store, and is answered when that is durable.
  ///   - extra: The time that the call may take in addition to the timeout.
  /// - Throws: `PostgresError`; `.cancelled` if nothing was sent.
  func run<Call: StoreCall>(
    _ call: Call, isRepeated: Bool, isChange: Bool, extra: Duration
  ) async throws(PostgresError) -> Call.Output {
    let limit = CallLimit(timeout + extra, clock)
    let answer = Answer<Call.Output>()
    let pending = Pending(
      call: call, isRepeated: isRepeated, isChange: isChange && access == .writing, limit: limit, answer: answer)
    let result = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        answer.attach(continuation)
        let isFirst = state.withLock { state in
          state.waiting.append(pending)
          return state.waiting.count == 1
        }
        if isFirst { work.enqueue { self.turn() } }
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
      while self.state.withLock({ !$0.waiting.isEmpty }) { self.turn() }
      self.state.withLock { $0.isClosed = true }
      self.disconnect()
    }
  }

  /// Returns whether the server asks to try again later.
  func isStarting() async -> Bool {
    await work.run { [address] in PostgresConnection.isStarting(address) }
  }

  // MARK: On the thread

  /// Carries out the first call that waits, with the next ones that can share its transaction.
  private func turn() {
    let (calls, isLast) = state.withLock { state in
      let sharing = state.waiting.prefix(Self.most).prefix { $0.sharesTransaction }.count
      let calls = Array(state.waiting.prefix(max(1, sharing)))
      state.waiting.removeFirst(calls.count)
      return (calls, state.waiting.isEmpty)
    }
    if !isLast { work.enqueue { self.turn() } }
    // A turn that came after `close` finds none.
    guard !calls.isEmpty else { return }
    do throws(PostgresError) {
      let connection = try connected()
      // The others were given up, and their callers know.
      try carryOut(calls.filter { $0.limit.begin() }, over: connection)
    } catch {
      for call in calls { call.fail(error) }
      if error.isConnectionLost { disconnect() }
    }
  }

  /// Carries out calls in one transaction, and answers them.
  private func carryOut(_ calls: [any PendingCall], over connection: StoreConnection) throws(PostgresError) {
    guard !calls.isEmpty else { return }
    let limits = calls.map(\.limit)
    connection.isOver = { limits.contains { $0.isOver } }
    var rest = calls
    var parts: [(Statement, answer: (PostgresRows) -> Void)] = []
    while let first = rest.first { parts.append(first.statement(takingFrom: &rest)) }
    do throws(PostgresError) {
      let answers = try connection.run(parts.map(\.0), settles: calls.contains { $0.isChange })
      for (part, rows) in zip(parts, answers) { part.answer(rows) }
    } catch {
      guard calls.count > 1, !error.isTransient else { throw error }
      // The transaction has changed nothing, and one of its calls is the cause.
      for call in calls {
        do throws(PostgresError) {
          try carryOut([call], over: connection)
        } catch {
          guard !error.isConnectionLost else { throw error }
          call.fail(error)
        }
      }
    }
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

  /// Drops the connection.
  private func disconnect() {
    // It ends here, outside the lock.
    _ = state.withLock { state in
      defer { state.session = nil }
      return state.session
    }
  }
}

/// A connection while it is open.
// Safe because only the queue's thread uses it.
private struct Session: @unchecked Sendable {
  let connection: StoreConnection
}

/// The answer to one call, which is given once: by the thread, or by a cancellation before the call has begun.
final class Answer<Output: Sendable>: Sendable {
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
