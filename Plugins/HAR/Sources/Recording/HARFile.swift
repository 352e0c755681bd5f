import CurlewCore
import FoundationEssentials
import Glibc

/// A HAR file that is complete after each write.
///
/// Entries are written over the brackets that close the document, together with new ones, in one call. So the file is valid JSON whenever
/// no call is under way, whatever happens to the program. If the program is killed inside the call, the last entries may be incomplete;
/// `HARDocument` reads the others.
struct HARFile: ~Copyable {
  /// Negative once it is closed.
  private var descriptor: Int32
  private let path: String
  /// Where the closing brackets begin.
  private(set) var end: Int64
  /// What is to be written next.
  var buffer = HARText()

  private static let opening: StaticString =
    "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"Curlew\",\"version\":\"0.1\"},\"entries\":["
  private static let closing: StaticString = "\n]}}\n"
  /// The bytes of the closing brackets.
  static var closingLength: Int { closing.utf8CodeUnitCount }

  /// Creates a file, or replaces the contents of one, which only its owner may read if it is new.
  init(_ path: String) throws(FileSystemError) {
    guard !path.utf8.contains(0) else { throw FileSystemError(code: EINVAL, operation: "open", path: path) }
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw FileSystemError(code: errno, operation: "open", path: path) }
    var text = HARText()
    text.raw(Self.opening)
    let end = Int64(text.bytes.count)
    text.raw(Self.closing)
    guard let code = Self.refusal(of: descriptor) ?? Self.write(text.bytes, at: 0, to: descriptor).code else {
      (self.descriptor, self.path, self.end) = (descriptor, path, end)
      return
    }
    Self.end(descriptor)
    throw FileSystemError(code: code, operation: "write", path: path)
  }

  deinit { if descriptor >= 0 { Self.end(descriptor) } }

  /// Closes the file, which must not be written any more.
  mutating func close() {
    Self.end(descriptor)
    descriptor = -1
  }

  /// Releases the lock and closes the descriptor.
  ///
  /// A child process has a copy of the descriptor until it calls `exec`, and `close` alone would leave the lock to that copy.
  private static func end(_ descriptor: Int32) {
    flock(descriptor, LOCK_UN)
    Glibc.close(descriptor)
  }

  /// Empties a file, and returns the error number if it cannot be the only writer.
  private static func refusal(of descriptor: Int32) -> Int32? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return errno }
    // A pipe or a device cannot be written at a place, and two writers would damage each other's entries.
    guard status.st_mode & S_IFMT == S_IFREG else { return ESPIPE }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, ftruncate(descriptor, 0) == 0 else { return errno }
    return nil
  }

  /// Writes the entries in the buffer, with what separates them, and the closing brackets.
  ///
  /// - Parameter ends: Where each entry ends.
  /// - Returns: How many entries are in the file, and why not all are; nil if all are.
  mutating func append(ends: [Int]) -> (count: Int, failure: FileSystemError?) {
    buffer.raw(Self.closing)
    let (written, code) = Self.write(buffer.bytes, at: end, to: descriptor)
    // After a failure, the brackets must fit into what was written, since a full disk has no more room.
    let count = code == nil ? ends.count : ends.count { $0 + Self.closingLength <= written }
    end += Int64(count == 0 ? 0 : ends[count - 1])
    guard let code else { return (count, nil) }
    restore()
    return (count, FileSystemError(code: code, operation: "write", path: path))
  }

  /// Closes the document again behind the last whole entry: these bytes were there before, so a full disk has room for them.
  private func restore() {
    var text = HARText()
    text.raw(Self.closing)
    _ = Self.write(text.bytes, at: end, to: descriptor)
    _ = ftruncate(descriptor, off_t(end) + off_t(text.bytes.count))
  }

  /// Writes bytes at an offset, and returns how many were written and the error number of a failure.
  private static func write(
    _ bytes: [UInt8], at offset: Int64, to descriptor: Int32
  ) -> (written: Int, code: Int32?) {
    var written = 0
    while written < bytes.count {
      // Safe because the pointer is used only inside the closure, and `written` is below the count.
      let count = bytes.withUnsafeBytes { pointer in
        pwrite(
          descriptor, pointer.baseAddress.map { $0 + written }, bytes.count - written, off_t(offset) + off_t(written))
      }
      if count < 0 {
        guard errno == EINTR else { return (written, errno) }
      } else {
        // A file that takes no byte would keep the loop going for ever.
        guard count > 0 else { return (written, ENOSPC) }
        written += count
      }
    }
    return (written, nil)
  }
}
