#if AsyncHTTPClient
import CurlewCore
import FoundationEssentials
import Synchronization

/// The evaluators of the requests that wait for a connection of one client.
///
/// AsyncHTTPClient does not say for which request it opens a connection. All evaluators of a client have equal keys, and so the same
/// verdict; but each may report to its own app. So each handshake asks the evaluator of the request that has waited longest and that no
/// other handshake has asked for.
final class WaitingEvaluators: Sendable {
  private struct Entry {
    let number: Int
    let evaluator: any ServerTrustEvaluating
    let clock: any NetworkClock
    /// Whether its request has a connection.
    let isConnected: @Sendable () -> Bool
    var isAsked = false
  }

  private struct State {
    var entries: [Entry] = []
    /// The newest entry, also when its request is over: a connection can outlive the request that it was opened for.
    var newest: Entry?
    var count = 0
  }

  private let state = Mutex(State())

  /// Adds the evaluator of a request.
  ///
  /// - Returns: The number under which it is removed.
  func add(
    _ evaluator: any ServerTrustEvaluating, _ clock: any NetworkClock, isConnected: @escaping @Sendable () -> Bool
  ) -> Int {
    state.withLock { state in
      state.count += 1
      let entry = Entry(number: state.count, evaluator: evaluator, clock: clock, isConnected: isConnected)
      state.entries.append(entry)
      state.newest = entry
      return entry.number
    }
  }

  /// Removes the evaluator of a request that has a connection, or is over.
  func remove(_ number: Int) { state.withLock { $0.entries.removeAll { $0.number == number } } }

  /// Evaluates the certificates that a server presents.
  ///
  /// - Throws: The evaluator's refusal, with the certificates.
  func evaluate(_ certificates: [Data], of origin: Origin) throws(ServerTrustError) {
    guard let entry = next() else {
      throw ServerTrustError(.policy, message: "There is no evaluator for the server.")
    }
    let trust = ServerTrust(
      host: origin.host, port: origin.port, certificates: certificates, date: entry.clock.date)
    do throws(ServerTrustError) {
      try entry.evaluator.evaluate(trust)
    } catch {
      var error = error
      error.trust = trust
      throw error
    }
  }

  private func next() -> Entry? {
    let (waiting, newest) = state.withLock { state in (state.entries.filter { !$0.isAsked }, state.newest) }
    // Asked outside the lock, since it takes the request's own.
    guard let entry = waiting.first(where: { !$0.isConnected() }) else { return newest }
    state.withLock { state in
      guard let index = state.entries.firstIndex(where: { $0.number == entry.number }) else { return }
      state.entries[index].isAsked = true
    }
    return entry
  }
}
#endif
