import CurlewCore
import Glibc
import Synchronization

/// Draws progress on standard error, and prints other lines above it.
final class ProgressDisplay: Sendable {
  private struct State {
    var progress: ProgressState
    var drawnLines = 0
  }

  private let state: Mutex<State>
  let style: ProgressStyle

  /// - Parameters:
  ///   - count: The number of transfers, with those that were done before.
  ///   - done: How many were done before.
  ///   - bytes: The bytes of those.
  ///   - showsBody: Whether bodies are printed on the terminal; bars would disturb them.
  ///   - printsBody: Whether bodies are printed at all, which is what a log shows then.
  ///   - showsEvents: Whether events are printed on standard error; erasing bars would erase them too.
  init(
    _ style: ProgressStyle, count: Int, done: Int = 0, bytes: Int64 = 0, showsBody: Bool, printsBody: Bool = false,
    showsEvents: Bool = false
  ) {
    state = Mutex(State(progress: ProgressState(count: count, done: done, bytes: bytes)))
    if style != .auto {
      self.style = style
    } else if StandardError.isTerminal, !showsEvents, getenv("TERM").map({ String(cString: $0) }) != "dumb" {
      self.style = showsBody ? .none : .bar
    } else {
      self.style = showsBody || printsBody ? .none : .plain
    }
  }

  func begin(_ meter: TransferMeter) {
    if style != .none { state.withLock { $0.progress.begin(meter) } }
  }

  func end(_ meter: TransferMeter, failed: Bool) {
    if style != .none { state.withLock { $0.progress.end(meter, failed: failed) } }
  }

  /// Takes a transfer that was interrupted out of the picture; it neither succeeded nor failed.
  ///
  /// - Parameter comesAgain: Whether it begins again in this run.
  func leave(_ meter: TransferMeter, comesAgain: Bool = false) {
    if style != .none { state.withLock { $0.progress.leave(meter, comesAgain: comesAgain) } }
  }

  /// Prints a line above the bars.
  func say(_ line: String) {
    if style == .bar {
      write(Self.erased(take()) + StandardError.laidOut(line) + "\n")
    } else {
      StandardError.write(line)
    }
  }

  /// Shows progress while `work` runs.
  func during<Result: Sendable>(_ work: () async throws -> Result) async rethrows -> Result {
    guard style != .none else { return try await work() }
    state.withLock { $0.progress.advance(to: .now) }
    let drawing = Task { await self.draw() }
    defer {
      drawing.cancel()
      if style == .bar { redraw(leaving: true) }
    }
    return try await work()
  }

  private func draw() async {
    var interval: Duration = style == .bar ? .milliseconds(100) : PlainPace.first
    while true {
      do { try await Task.sleep(for: interval) } catch { return }
      redraw(leaving: false)
      if style == .plain { interval = PlainPace.next(after: interval) }
    }
  }

  private func redraw(leaving: Bool) {
    let size = TerminalSize.current
    let (old, lines) = state.withLock { state -> (Int, [String]) in
      state.progress.advance(to: .now)
      defer { state.drawnLines = 0 }
      guard style == .bar else { return (0, [ProgressText.line(state.progress)]) }
      let lines = ProgressText.bars(state.progress, width: size.columns, height: size.rows)
      let old = state.drawnLines
      return (old, lines)
    }
    write(Self.erased(old) + lines.map { $0 + "\n" }.joined())
    if style == .bar, !leaving { state.withLock { $0.drawnLines = lines.count } }
  }

  /// Returns the number of drawn lines, which are about to be erased.
  private func take() -> Int {
    state.withLock { state in
      defer { state.drawnLines = 0 }
      return state.drawnLines
    }
  }

  private func write(_ text: String) { StandardError.writeRaw(text) }

  private static func erased(_ lines: Int) -> String { lines > 0 ? "\u{1B}[\(lines)A\r\u{1B}[J" : "" }
}

/// How long to wait between two lines of progress, which stay in a log: an hour's transfer leaves sixteen.
enum PlainPace {
  static let first = Duration.seconds(5)

  /// Returns the wait after a line: twice the last one, and at most five minutes.
  static func next(after wait: Duration) -> Duration { min(wait * 2, .seconds(300)) }
}

/// The size of the terminal.
struct TerminalSize {
  var columns = 80
  var rows = 24

  /// The size of the terminal of standard error.
  static var current: TerminalSize { of(STDERR_FILENO) }

  /// Returns the size of the terminal behind a descriptor, or 80 by 24 if that is no terminal.
  static func of(_ descriptor: Int32) -> TerminalSize {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return TerminalSize() }
    return TerminalSize(columns: Int(size.ws_col), rows: max(2, Int(size.ws_row)))
  }
}
