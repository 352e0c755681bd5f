import CurlewCore
import CurlewStorage

/// Carries out the calls of a store, one after the other, on a thread of its own with one connection.
///
/// A call is answered when its changes are durable. The calls that wait at the same time share one wait for the disk: each
/// transaction commits without it, and the last one settles all.
final class CallQueue: Sendable {
  private struct State {
    var waiting = 0
    var isClosed = false
    // The rest belongs to the thread; it is here because the state is guarded.
    var session: Session?
    var unsettled: [@Sendable (PostgresError?) -> Void] = []
  }

  /// The most calls that wait for one settling.
  private static let mostUnsettled = 64

  private let address: PostgresAddress
  private let schema: String
  private let access: PostgresBatchStore.Access
  private let work = DiskWork()
  private let state = Guarded(State())

  init(_ address: PostgresAddress, schema: String, access: PostgresBatchStore.Access) {
    self.address = address
    self.schema = schema
    self.access = access
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Carries out a call on the thread.
  ///
  /// A lost connection is not made again for this call, since it is not known whether it was carried out; the next call connects
  /// again.
  ///
  /// - Parameter isChange: Whether the call can change the store, and is answered when that is durable.
  func run<Output: Sendable>(
    isChange: Bool, _ call: @escaping @Sendable (StoreConnection) throws(PostgresError) -> Output
  ) async throws(PostgresError) -> Output {
    let result = await withUnsafeContinuation { continuation in
      state.withLock { $0.waiting += 1 }
      work.enqueue {
        self.carryOut(isChange: isChange, call) { continuation.resume(returning: $0) }
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
    isChange: Bool, _ call: @Sendable (StoreConnection) throws(PostgresError) -> Output,
    _ answer: @escaping @Sendable (Result<Output, PostgresError>) -> Void
  ) {
    let isLast = state.withLock { state in
      state.waiting -= 1
      return state.waiting == 0
    }
    do throws(PostgresError) {
      let output = try call(try connected())
      if isChange, access == .writing {
        state.withLock { state in
          state.unsettled.append { error in answer(error.map { .failure($0) } ?? .success(output)) }
        }
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
    let connection = try StoreConnection(address, schema: schema, access: access)
    state.withLock { $0.session = Session(connection: connection) }
    return connection
  }

  private func settle() {
    guard state.withLock({ !$0.unsettled.isEmpty }) else { return }
    do throws(PostgresError) {
      try connected().settle()
      for answer in takeUnsettled() { answer(nil) }
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
    for answer in takeUnsettled() { answer(error) }
    _ = session
  }

  private func takeUnsettled() -> [@Sendable (PostgresError?) -> Void] {
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
