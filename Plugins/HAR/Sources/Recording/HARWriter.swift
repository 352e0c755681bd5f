import CurlewCore
import Dispatch
import Glibc
import Synchronization

/// Writes bytes of entries to a HAR file, in order, on a thread of its own.
///
/// A disk can be slow and an observer must not block, so an entry is added to what waits, and a queue writes all that waits: at once after
/// a rest, otherwise 500 times a second at most, because to wake a thread costs more than to write an entry. What waits is bounded: beyond a
/// limit, `catchUp` makes the tasks of requests wait for the disk, and beyond a second one entries are dropped. A program that ends, but
/// for one that is killed, writes the rest first.
final class HARWriter: Sendable {
  private struct State {
    /// The entries that wait, each behind what separates it from the one before.
    var waiting = HARText()
    /// Where each of them ends.
    var ends: [Int] = []
    var isWriting = false
    var isClosed = false
    /// The bytes of the file once all is written, without the closing brackets.
    var size: Int64
    var count = 0
    var dropped = 0
    var failure: FileSystemError?
  }

  /// The bytes that may wait before tasks do.
  static let waitingLimit = 4 << 20
  /// The time between two writes.
  private static let interval = DispatchTimeInterval.milliseconds(2)
  /// A buffer that is larger is not kept for the next entries.
  private static let bufferKept = 1 << 20

  private let limit: Int64
  private let queue = DispatchQueue(label: "curlew.har")
  /// Ends the time between two writes.
  private let haste = DispatchSemaphore(value: 0)
  private let state: Mutex<State>
  /// Used by the queue alone.
  private let file: Mutex<HARFile>

  init(_ path: String, limit: Int64) throws(FileSystemError) {
    let file = try HARFile(path)
    self.limit = limit
    state = Mutex(State(size: file.end))
    self.file = Mutex(file)
    OpenWriters.began(self)
  }

  /// The number of entries that are in the file or wait.
  var entryCount: Int { state.withLock { $0.count } }
  var droppedCount: Int { state.withLock { $0.dropped } }
  var failure: FileSystemError? { state.withLock { $0.failure } }

  /// Waits until everything is written if too much waits; a transport's thread never does.
  ///
  /// It must not be called with a lock for which a transport's thread could wait.
  func catchUp() {
    guard !TransportThread.isCurrent, state.withLock({ $0.waiting.bytes.count > Self.waitingLimit }) else { return }
    finish()
  }

  /// Waits until everything is written that was added before.
  func finish() {
    haste.signal()
    queue.sync { writeWaiting() }
  }

  /// Writes the rest, and closes the file, so that another recorder can write it; later entries are dropped.
  func close() {
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    guard isFirst else { return }
    OpenWriters.ended(self)
    finish()
    file.withLock { $0.close() }
  }

  /// Adds an entry; returns at once.
  func add(_ entry: HARText) {
    let begins = state.withLock { state -> Bool in
      let separator: StaticString = state.count == 0 ? "\n" : ",\n"
      let size = state.size + Int64(separator.utf8CodeUnitCount + entry.bytes.count)
      guard state.failure == nil, !state.isClosed, state.waiting.bytes.count <= 2 * Self.waitingLimit,
        size + Int64(HARFile.closingLength) <= limit
      else {
        state.dropped += 1
        return false
      }
      state.waiting.raw(separator)
      state.waiting.raw(bytes: entry.bytes)
      state.size = size
      state.ends.append(state.waiting.bytes.count)
      state.count += 1
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if begins { queue.async { self.writeInTurn() } }
  }

  /// Writes what waits, and again after the interval if more does.
  private func writeInTurn() {
    writeWaiting()
    _ = haste.wait(timeout: .now() + Self.interval)
    let goesOn = state.withLock { state in
      state.isWriting = !state.ends.isEmpty
      return state.isWriting
    }
    // Behind a caller of `finish`, who would otherwise wait as long as there are requests.
    if goesOn { queue.async { self.writeInTurn() } }
  }

  private func writeWaiting() {
    file.withLock { file in
      let ends = state.withLock { state in
        swap(&state.waiting, &file.buffer)
        defer { state.ends = [] }
        return state.ends
      }
      guard !ends.isEmpty else { return }
      let (count, failure) = file.append(ends: ends)
      if let failure { fail(failure, lost: ends.count - count) }
      if file.buffer.bytes.count > Self.bufferKept { file.buffer = HARText() } else { file.buffer.removeAll() }
    }
  }

  /// Ends the recording, with everything that waits.
  private func fail(_ failure: FileSystemError, lost: Int) {
    state.withLock { state in
      state.failure = failure
      state.count -= lost + state.ends.count
      state.dropped += lost + state.ends.count
      state.waiting = HARText()
      state.ends = []
    }
  }
}

/// The writers that have not been closed; they write what waits when the program ends.
private enum OpenWriters {
  private static let all = Mutex<[ObjectIdentifier: HARWriter]>([:])
  private static let atEnd: Void = {
    atexit { for writer in OpenWriters.all.withLock({ Array($0.values) }) { writer.finish() } }
  }()

  static func began(_ writer: HARWriter) {
    _ = atEnd
    all.withLock { $0[ObjectIdentifier(writer)] = writer }
  }

  static func ended(_ writer: HARWriter) { _ = all.withLock { $0.removeValue(forKey: ObjectIdentifier(writer)) } }
}
