import CurlewCore
import CurlewJSON

/// The entries of one HAR file, which is closed when the last reference is released.
final class HARLog: Sendable {
  let writer: HARWriter
  private let clock = HARClock()

  init(_ path: String, limit: Int64) throws(FileSystemError) { writer = try HARWriter(path, limit: limit) }

  deinit { writer.close() }

  /// Adds what is known of a sending; returns at once.
  func write(_ draft: HARDraft, redaction: Redaction?) {
    // Without a lock, for which other requests would wait.
    var text = HARText()
    draft.write(to: &text, redaction: redaction, clock: clock)
    writer.add(text)
  }

  /// Adds an entry as it was read, and waits for the disk.
  func write(_ entry: HAREntry) {
    var text = HARText()
    text.raw(text: entry.value.text())
    writer.add(text)
    writer.catchUp()
  }
}
