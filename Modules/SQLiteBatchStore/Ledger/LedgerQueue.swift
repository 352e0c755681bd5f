import CurlewBatch
import CurlewCore
import CurlewStorage

/// The open file of a store, and the calls that wait for it.
///
/// Calls that wait together share a transaction, because a commit costs more than the change of an item. Each caller continues only
/// after that commit. If one of the calls throws, the transaction is undone and each call gets one of its own, so an error reaches its
/// own caller alone.
final class LedgerQueue: Sendable {
  /// A call of the store.
  struct Call: Sendable {
    /// Makes the call, and returns the closure that passes its result to the caller.
    let attempt: @Sendable (Ledger) throws -> @Sendable () -> Void
    /// Passes an error to the caller.
    let fail: @Sendable (any Error) -> Void
  }

  private struct State {
    var ledger: Ledger?
    var waiting: [Call] = []
  }

  /// The most calls that share a transaction, so that the first of them need not wait for any number of others.
  private static let mostTogether = 64

  private let path: String
  private let work: DiskWork
  private let signal: ChangeSignal
  private let state: Guarded<State>

  init(_ ledger: Ledger, path: String, _ work: DiskWork, _ signal: ChangeSignal) {
    self.path = path
    self.work = work
    self.signal = signal
    state = Guarded(State(ledger: ledger))
  }

  /// Adds a call, which runs on the store's thread.
  func add(_ call: Call) {
    let isFirst = state.withLock { state in
      state.waiting.append(call)
      return state.waiting.count == 1
    }
    if isFirst { work.enqueue { self.runWaiting() } }
  }

  /// Closes the file; later calls fail.
  func close() {
    let closed = state.withLock { state in
      defer { state.ledger = nil }
      return state.ledger
    }
    closed?.lock?.release()
  }

  private func runWaiting() {
    let (ledger, calls, isMoreWaiting) = state.withLock { state in
      let calls = Array(state.waiting.prefix(Self.mostTogether))
      state.waiting.removeFirst(calls.count)
      return (state.ledger, calls, !state.waiting.isEmpty)
    }
    if isMoreWaiting { work.enqueue { self.runWaiting() } }
    guard let ledger else {
      for call in calls { call.fail(LedgerFailure.closed(path)) }
      return
    }
    if calls.count > 1, ledger.lock != nil, runTogether(calls, ledger) { return }
    for call in calls { runAlone(call, ledger) }
  }

  /// Runs calls in one transaction; returns false, and changes nothing, if one of them throws or the commit fails.
  private func runTogether(_ calls: [Call], _ ledger: Ledger) -> Bool {
    guard let answers = try? ledger.sharedTransaction({ try calls.map { try $0.attempt(ledger) } }) else {
      return false
    }
    signal.advance(to: ledger.tally.summary.revision)
    for answer in answers { answer() }
    return true
  }

  private func runAlone(_ call: Call, _ ledger: Ledger) {
    let answer: @Sendable () -> Void
    do { answer = try call.attempt(ledger) } catch { answer = { call.fail(error) } }
    signal.advance(to: ledger.tally.summary.revision)
    answer()
  }
}
