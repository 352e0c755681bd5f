#if AsyncHTTPClient
import CurlewCore
import FoundationEssentials
import Synchronization

/// The evaluators of the requests that wait for a connection of one client.
///
/// AsyncHTTPClient does not say for which request it opens a connection, and may give it to another one. All evaluators of a client
/// have equal keys, and so the same verdict; but each may report to its own app. So each handshake asks an evaluator that no other
/// handshake has asked: that of the request that has waited longest, or else of one that got a connection on which another's was asked.
final class WaitingEvaluators: Sendable {
  private struct Entry {
    let number: Int
    let evaluator: any ServerTrustEvaluating
    let clock: any NetworkClock
    /// Whether the connection of its request was used before; nil while it has none.
    let isReused: @Sendable () -> Bool?
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
    _ evaluator: any ServerTrustEvaluating, _ clock: any NetworkClock, isReused: @escaping @Sendable () -> Bool?
  ) -> Int {
    state.withLock { state in
      state.count += 1
      let entry = Entry(number: state.count, evaluator: evaluator, clock: clock, isReused: isReused)
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

  /// Chooses the evaluator for a handshake.
  private func next() -> Entry? {
    state.withLock { state in
      // The lock of a request is taken inside this one, and never the other way around.
      let waiting = state.entries.indices.filter { !state.entries[$0].isAsked }
      let index =
        waiting.first { state.entries[$0].isReused() == nil } ?? waiting.first { state.entries[$0].isReused() == false }
      guard let index else { return state.newest }
      state.entries[index].isAsked = true
      return state.entries[index]
    }
  }
}
#endif
