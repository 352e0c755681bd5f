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
    let failures = state.failed > 0 ? ", \(state.failed) failed" : ""
    let counts = state.count > 1 ? "\(state.done) of \(state.count)\(failures)" : ""
    // The numbers have the width of "123.4 MB of 999.9 MB, 99.9 MB/s, 12:34 left"; name and bar share the rest.
    let nameWidth = max(min(32, max(8, (width - 47) * 5 / 8)), counts.count)
    var lines = rows.prefix(room).map { bar($0.name, $0.progress, nameWidth, width) }
    if state.count > 1 { lines.append(bar(counts, state.whole, nameWidth, width)) }
    return lines
  }

  /// Returns the progress of all transfers as one line without a bar.
  static func line(_ state: ProgressState) -> String {
    let failures = state.failed > 0 ? ", \(state.failed) failed" : ""
    return "curlew: \(state.done) of \(state.count) done\(failures), \(numbers(state.whole))"
  }

  /// Returns a bar: `name  [=====>    ]  1.5 MB of 3.0 MB, 1.2 MB/s, 2 s left`
  private static func bar(_ name: String, _ progress: TransferProgress, _ nameWidth: Int, _ width: Int) -> String {
    let barWidth = width - 47 - nameWidth - 3
    var line = padded(shortened(name, to: nameWidth), to: nameWidth)
    if barWidth >= 8 {
      let filled = progress.fraction.map { Int($0 * Double(barWidth)) } ?? 0
      let blank = String(repeating: progress.fraction == nil ? "·" : " ", count: barWidth - filled)
      line += " [\(String(repeating: "=", count: filled))\(blank)]"
    }
    line += " "
    return String((line + numbers(progress, within: width - 1 - line.count)).prefix(max(0, width - 1)))
  }

  /// Returns the numbers, each of them whole: where they do not fit, without the rate, the time left, the total, or all of them.
  private static func numbers(_ progress: TransferProgress, within width: Int = .max) -> String {
    let completed = DecimalText.bytes(progress.completed)
    let bytes = completed + (progress.total.map { " of " + DecimalText.bytes($0) } ?? "")
    let rate = progress.rate.map { ", \(DecimalText.bytes(Int64($0)))/s" } ?? ""
    let left = progress.timeLeft.map { ", \(DecimalText.time($0)) left" } ?? ""
    return [bytes + rate + left, bytes + left, bytes, completed].first { $0.count <= width } ?? ""
  }

  /// Shortens a name at its beginning, because the end is more specific.
  private static func shortened(_ name: String, to width: Int) -> String {
    name.count <= width ? name : "…" + name.suffix(width - 1)
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
