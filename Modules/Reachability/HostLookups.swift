import CurlewCore

/// Looks up one name repeatedly, on at most one thread.
///
/// A lookup cannot be cancelled, so nobody waits for it: a thread that hangs in one is reused by the next caller, and
/// ends when the resolver returns.
final class HostLookups: Sendable {
  typealias Answer = @Sendable ([RouteAddress]) -> Void

  private struct State {
    var isRunning = false
    var next: Answer?
  }

  private let name: String
  private let lookUp: @Sendable (String) throws -> [String]
  private let state = Guarded(State())

  init(_ name: String, _ lookUp: @escaping @Sendable (String) throws -> [String]) {
    self.name = name
    self.lookUp = lookUp
  }

  /// Starts a lookup and passes the result to `answer` on another thread.
  ///
  /// If several callers ask during one lookup, only the newest gets an answer.
  ///
  /// - Returns: Whether the lookup runs; false when no thread could be started.
  func ask(_ answer: @escaping Answer) -> Bool {
    let starts = state.withLock { state in
      state.next = answer
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard starts, !MonitorThread.start("curlew-lookup", { [self] in run() }) else { return true }
    state.withLock { $0.isRunning = false }
    return false
  }

  private func run() {
    while true {
      let answer = state.withLock { state in
        state.isRunning = state.next != nil
        return state.next.take()
      }
      guard let answer else { return }
      let addresses = ((try? lookUp(name)) ?? []).compactMap { RouteAddress(Self.withoutZone($0)) }
      // A newer caller needs a result that is newer than this one.
      if state.withLock({ $0.next == nil }) { answer(addresses) }
    }
  }

  /// Returns the text of an address without the name of its interface.
  private static func withoutZone(_ text: String) -> String { String(text.prefix { $0 != "%" }) }
}
