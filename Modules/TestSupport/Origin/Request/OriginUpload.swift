import CurlewCore

/// The body of a request while it arrives.
///
/// The connection writes it; handlers and tests read it.
final class OriginUpload: Sendable {
  struct Progress: Sendable {
    var kept: [UInt8] = []
    var length: Int64 = 0
    var trailers = OriginFields()
    var isComplete = false
    var hasEnded = false
  }

  private struct State {
    var progress = Progress()
    var wanted: (@Sendable () -> Void)?
    var waiters: [@Sendable () -> Void] = []
  }

  private let state: Guarded<State>
  private let limit: Int

  /// - Parameters:
  ///   - limit: The most bytes to keep.
  ///   - isComplete: Whether there is no body to receive.
  ///   - wanted: Called once, when a handler requests the body before it was read.
  init(keeping limit: Int, isComplete: Bool, wanted: (@Sendable () -> Void)?) {
    var state = State()
    state.progress.isComplete = isComplete
    state.progress.hasEnded = isComplete
    state.wanted = wanted
    self.state = Guarded(state)
    self.limit = limit
  }

  var progress: Progress { state.withLock { $0.progress } }
  var keptCount: Int { state.withLock { $0.progress.kept.count } }

  func append(_ bytes: UnsafeRawBufferPointer) {
    state.withLock { state in
      state.progress.length += Int64(bytes.count)
      let room = max(0, limit - state.progress.kept.count)
      state.progress.kept.append(contentsOf: bytes.prefix(room))
    }
  }

  func append(trailer line: String) {
    guard let colon = line.firstIndex(of: ":") else { return }
    state.withLock {
      guard $0.progress.trailers.lines.count < 256 else { return }
      $0.progress.trailers.append(String(line[..<colon]), line[line.index(after: colon)...].trimmed)
    }
  }

  /// Ends the body.
  func end(complete: Bool) {
    let waiters = state.withLock { state in
      guard !state.progress.hasEnded else { return [@Sendable () -> Void]() }
      state.progress.hasEnded = true
      state.progress.isComplete = complete
      state.wanted = nil
      defer { state.waiters = [] }
      return state.waiters
    }
    for wake in waiters { wake() }
  }

  /// Requests the body and waits for its end, or for cancellation.
  func ended() async {
    if state.withLock({ $0.progress.hasEnded }) { return }
    await Awaiting.oneCall { wake in
      let (hasEnded, wanted) = state.withLock { state in
        defer { state.wanted = nil }
        if !state.progress.hasEnded { state.waiters.append(wake) }
        return (state.progress.hasEnded, state.wanted)
      }
      wanted?()
      if hasEnded { wake() }
    }
  }
}

extension StringProtocol {
  /// The text without surrounding spaces and tabs.
  package var trimmed: String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    let end = lastIndex { !isBlank($0) }.map { index(after: $0) } ?? startIndex
    return String(self[..<end].drop(while: isBlank))
  }
}
