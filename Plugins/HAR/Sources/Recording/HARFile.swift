import CurlewCore
import FoundationEssentials
import Glibc

/// A HAR file that is complete after each entry.
///
/// An entry is written over the brackets that close the document, together with new ones, in one call. So the file is valid JSON whenever
/// no call is under way, whatever happens to the program. If the program is killed inside the call, the last entry may be incomplete;
/// `HARDocument` reads the others.
struct HARFile: ~Copyable {
  private let descriptor: Int32
  private let path: String
  private let limit: Int64
  /// Where the closing brackets begin.
  private var end: Int64
  private var hasEntries = false
  /// The number of entries that were not written: beyond the limit, or after the disk had refused one.
  private(set) var dropped = 0
  /// Why an entry could not be written; nil if all could.
  private(set) var failure: FileSystemError?

  private static let opening: StaticString =
    "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"Curlew\",\"version\":\"0.1\"},\"entries\":["
  private static let closing: StaticString = "\n]}}\n"

  /// Creates a file, or replaces the contents of one.
  ///
  /// - Parameters:
  ///   - path: The file, which only its owner may read if it is new.
  ///   - limit: The most bytes of the file.
  init(_ path: String, limit: Int64) throws(FileSystemError) {
    guard !path.utf8.contains(0) else { throw FileSystemError(code: EINVAL, operation: "open", path: path) }
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw FileSystemError(code: errno, operation: "open", path: path) }
    var text = HARText()
    text.raw(Self.opening)
    let end = Int64(text.bytes.count)
    text.raw(Self.closing)
    guard let code = Self.refusal(of: descriptor) ?? Self.write(text.bytes, at: 0, to: descriptor) else {
      (self.descriptor, self.path, self.limit, self.end) = (descriptor, path, limit, end)
      return
    }
    close(descriptor)
    throw FileSystemError(code: code, operation: "write", path: path)
  }

  deinit { close(descriptor) }

  /// Empties a file, and returns the error number if it cannot be the only writer.
  private static func refusal(of descriptor: Int32) -> Int32? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return errno }
    // A pipe or a device cannot be written at a place, and two writers would damage each other's entries.
    guard status.st_mode & S_IFMT == S_IFREG else { return ESPIPE }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, ftruncate(descriptor, 0) == 0 else { return errno }
    return nil
  }

  /// Writes an entry.
  ///
  /// - Parameter write: Appends the entry's JSON.
  mutating func append(_ text: inout HARText, _ write: (inout HARText) -> Void) {
    guard failure == nil else {
      dropped += 1
      return
    }
    text.removeAll()
    if hasEntries { text.raw(",") }
    text.raw("\n")
    write(&text)
    let length = Int64(text.bytes.count)
    text.raw(Self.closing)
    guard end + Int64(text.bytes.count) <= limit else {
      dropped += 1
      return
    }
    if let code = Self.write(text.bytes, at: end, to: descriptor) {
      dropped += 1
      failure = FileSystemError(code: code, operation: "write", path: path)
      restore()
      return
    }
    end += length
    hasEntries = true
  }

  /// Closes the document again behind the last whole entry: these bytes were there before, so a full disk has room for them.
  private func restore() {
    var text = HARText()
    text.raw(Self.closing)
    _ = Self.write(text.bytes, at: end, to: descriptor)
    _ = ftruncate(descriptor, off_t(end) + off_t(text.bytes.count))
  }

  /// Writes all bytes at an offset, and returns the error number of a failure.
  private static func write(_ bytes: [UInt8], at offset: Int64, to descriptor: Int32) -> Int32? {
    var written = 0
    while written < bytes.count {
      // Safe because the pointer is used only inside the closure, and `written` is below the count.
      let count = bytes.withUnsafeBytes { pointer in
        pwrite(
          descriptor, pointer.baseAddress.map { $0 + written }, bytes.count - written, off_t(offset) + off_t(written))
      }
      if count < 0 {
        guard errno == EINTR else { return errno }
      } else {
        // A file that takes no byte would keep the loop going for ever.
        guard count > 0 else { return ENOSPC }
        written += count
      }
    }
    return nil
  }
}
