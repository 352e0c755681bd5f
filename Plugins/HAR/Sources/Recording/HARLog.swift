import CurlewCore
import CurlewJSON
import Synchronization

/// Writes entries to a HAR file, one at a time.
final class HARLog: Sendable {
  private struct State: ~Copyable {
    var file: HARFile
    var text = HARText()
    var written = 0
  }

  private let clock = HARClock()
  private let state: Mutex<State>

  init(_ path: String, limit: Int64) throws(FileSystemError) {
    state = Mutex(State(file: try HARFile(path, limit: limit)))
  }

  var entryCount: Int { state.withLock { $0.written } }
  var droppedCount: Int { state.withLock { $0.file.dropped } }
  var failure: FileSystemError? { state.withLock { $0.file.failure } }

  /// Writes what is known of a sending.
  func write(_ draft: HARDraft, redaction: Redaction?) {
    append { draft.write(to: &$0, redaction: redaction, clock: clock) }
  }

  /// Writes an entry as it was read.
  func write(_ entry: HAREntry) { append { $0.raw(text: entry.value.text()) } }

  private func append(_ write: (inout HARText) -> Void) {
    state.withLock { state in
      let dropped = state.file.dropped
      state.file.append(&state.text, write)
      if state.file.dropped == dropped { state.written += 1 }
    }
  }
}
