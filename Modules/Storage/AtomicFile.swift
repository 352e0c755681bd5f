public import CurlewCore
public import FoundationEssentials
import Glibc

/// A file that changes as a whole: readers and crashes see the old bytes or the new.
///
/// What is written goes into another file in the same directory, which takes the name over once it is complete. Any
/// failure before that leaves what stood there as it was, with its permissions; a symbolic link is replaced, not
/// followed. Safe from any isolation; of two writers the last one to finish wins.
///
/// ```swift
/// let jar = AtomicFile("/home/me/.cookies")
/// try jar.write(Data(text.utf8))
/// ```
public struct AtomicFile: Sendable {
  /// Who may read a file.
  public enum Access: Sendable, Hashable {
    /// Its owner alone, mode 0600: for anything that may be secret.
    case owner
    /// Mode 0666 less the process's mask, as other programs make files.
    case ordinary
  }

  /// What a change survives.
  public enum Durability: Sendable, Hashable {
    /// Power failures: file and directory are synchronized, which may take tens of milliseconds.
    case powerFailure
    /// The end of the process, at whatever instant. After a power failure the file may be old, empty or torn, so
    /// that its content needs a checksum.
    case processEnd
  }

  /// The path.
  public let path: String
  /// Who may read the file.
  public let access: Access
  /// What a change survives.
  public let durability: Durability
  let files: any FileSystem

  /// Names a file; nothing is touched yet.
  public init(
    _ path: String, access: Access = .owner, durability: Durability = .powerFailure,
    in files: any FileSystem = LocalFileSystem()
  ) {
    self.path = path
    self.access = access
    self.durability = durability
    self.files = files
  }

  /// Replaces the content.
  ///
  /// - Throws: `FileSystemError`, with `EINVAL` where a device or a pipe stands at the path. The old file is whole then,
  ///   or, where only the directory could not be synchronized, the new one is.
  public func write(_ data: Data) throws(FileSystemError) {
    let writer = try begin()
    var failure: FileSystemError?
    data.withUnsafeBytes { bytes in
      do throws(FileSystemError) { try writer.append(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
    try writer.commit()
  }

  /// Starts a replacement whose bytes come piece by piece.
  ///
  /// - Throws: `FileSystemError` when no file can be made in the directory.
  public func begin() throws(FileSystemError) -> AtomicFileWriter {
    try AtomicFileWriter(self)
  }

  /// All of the content; nil where there is no file.
  ///
  /// - Parameter limit: The most bytes to read, 0….
  /// - Throws: `FileSystemError`, with `EFBIG` for a file beyond the limit.
  public func read(upTo limit: Int) throws(FileSystemError) -> Data? {
    let file: any OpenFile
    do throws(FileSystemError) {
      file = try files.open(path, .read)
    } catch {
      guard error.code == ENOENT else { throw error }
      return nil
    }
    let length = try file.length()
    guard length <= Int64(limit) else { throw FileSystemError(code: EFBIG, operation: "read", path: path) }
    return try file.data(in: 0..<length)
  }

  /// Removes what writers that were killed have left in a directory; what is still being written stays.
  ///
  /// - Throws: `FileSystemError` when the directory cannot be listed.
  public static func removeLeftovers(
    in directory: String, of files: any FileSystem = LocalFileSystem()
  ) throws(FileSystemError) {
    for name in try files.list(directory) where TemporaryName.isOne(name) {
      removeIfUnused(directory + "/" + name, of: files)
    }
  }

  /// Removes a file unless another open file has locked it.
  static func removeIfUnused(_ path: String, of files: any FileSystem) {
    // A file that cannot be opened, locked or removed is left to the next one who tidies up.
    guard let file = try? files.open(path, [.write, .noFollow]), (try? file.tryLock()) == true else { return }
    try? files.remove(path)
  }
}

/// The names of files that are not complete.
enum TemporaryName {
  private static let prefix = ".curlew-"
  private static let suffix = ".tmp"

  /// A name beside a path that nobody else takes.
  static func beside(_ path: String) -> String {
    directory(of: path) + "/" + prefix + String(UInt64.random(in: .min ... .max), radix: 16) + suffix
  }

  static func isOne(_ name: String) -> Bool { name.hasPrefix(prefix) && name.hasSuffix(suffix) }

  /// The directory of a file's path.
  static func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
  }
}

extension OpenFile {
  /// The bytes at a range of offsets; fewer where the file ends before.
  func data(in range: Range<Int64>) throws(FileSystemError) -> Data {
    var data = Data(count: Int(clamping: range.upperBound - range.lowerBound))
    guard !data.isEmpty else { return data }
    var count = 0
    var failure: FileSystemError?
    data.withUnsafeMutableBytes { buffer in
      do throws(FileSystemError) { count = try read(into: buffer, at: range.lowerBound) } catch { failure = error }
    }
    if let failure { throw failure }
    return count == data.count ? data : Data(data.prefix(count))
  }
}
