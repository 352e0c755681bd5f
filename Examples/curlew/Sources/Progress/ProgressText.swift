import CurlewCore

/// Formats progress as lines of text.
enum ProgressText {
  /// Returns a bar for each transfer and, if there are several, one for all.
  ///
  /// - Parameters:
  ///   - width: The columns of the terminal; no line is longer.
  ///   - height: The limit of lines.
  static func bars(_ state: ProgressState, width: Int, height: Int) -> [String] {
    let rows = state.rows
    let room = max(0, height - 1)
    var lines = rows.prefix(room).map { bar($0.name, $0.progress, width) }
    guard state.count > 1 else { return lines }
    let failures = state.failed > 0 ? ", \(state.failed) failed" : ""
    lines.append(bar("\(state.done) of \(state.count)\(failures)", state.whole, width))
    return lines
  }

  /// Returns the progress of all transfers as one line without a bar.
  static func line(_ state: ProgressState) -> String {
    let failures = state.failed > 0 ? ", \(state.failed) failed" : ""
    return "curlew: \(state.done) of \(state.count) done\(failures), \(numbers(state.whole))"
  }

  /// Returns a bar: `name  [=====>    ]  1.5 MB of 3.0 MB, 1.2 MB/s, 2 s left`
  private static func bar(_ name: String, _ progress: TransferProgress, _ width: Int) -> String {
    let numbers = numbers(progress)
    // The numbers have the width of "123.4 MB of 999.9 MB, 99.9 MB/s, 12:34 left"; name and bar share the rest.
    let rest = width - 1 - 45 - 1
    let nameWidth = min(32, max(8, rest * 5 / 8))
    let barWidth = rest - nameWidth - 3
    var line = padded(shortened(name, to: nameWidth), to: nameWidth)
    if barWidth >= 8 {
      let filled = progress.fraction.map { Int($0 * Double(barWidth)) } ?? 0
      let blank = String(repeating: progress.fraction == nil ? "·" : " ", count: barWidth - filled)
      line += " [\(String(repeating: "=", count: filled))\(blank)]"
    }
    return String((line + " " + numbers).prefix(max(0, width - 1)))
  }

  private static func numbers(_ progress: TransferProgress) -> String {
    var parts = [DecimalText.bytes(progress.completed) + (progress.total.map { " of " + DecimalText.bytes($0) } ?? "")]
    if let rate = progress.rate { parts.append(DecimalText.bytes(Int64(rate)) + "/s") }
    if let left = progress.timeLeft { parts.append(DecimalText.time(left) + " left") }
    return parts.joined(separator: ", ")
  }

  /// Shortens a name at its beginning, because the end is more specific.
  private static func shortened(_ name: String, to width: Int) -> String {
    name.count <= width ? name : "…" + name.suffix(width - 1)
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
