public import CurlewCore
public import FoundationEssentials
import Glibc

/// Replaces a file's content in one step: readers see the old bytes or the new.
///
/// The new bytes go into a temporary file in the same directory, which is renamed once it is complete. After any
/// failure before that, the old file is unchanged, permissions included. A symbolic link is replaced, not followed.
/// Safe from any isolation; of two concurrent writers, the last to finish wins.
///
/// ```swift
/// let jar = AtomicFile("/home/me/.cookies")
/// try jar.write(Data(text.utf8))
/// ```
public struct AtomicFile: Sendable {
  /// Who may read a file.
  public enum Access: Sendable, Hashable {
    /// Only its owner, mode 0600: for anything that may be secret.
    case owner
    /// The mode of the file that is replaced; for a new file 0666 minus the process's umask.
    case ordinary
  }

  /// What a change to the file survives.
  public enum Durability: Sendable, Hashable {
    /// Power failures: file and directory are synchronized.
    ///
    /// That may take tens of milliseconds.
    case powerFailure
    /// The end of the process at any moment.
    ///
    /// After a power failure the file may be old, empty or torn, so its content needs a checksum.
    case processEnd
  }

  /// The path.
  public let path: String
  /// Who may read the file.
  public let access: Access
  /// What a change survives.
  public let durability: Durability
  let files: any FileSystem

  /// Describes a file; the file system is not touched yet.
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
  /// - Throws: `FileSystemError`, with `EINVAL` when the path is a device or a pipe. The old file is then unchanged. If
  ///   only the synchronization of the directory failed, the new file is in place.
  public func write(_ data: Data) throws(FileSystemError) {
    let writer = try begin()
    try writer.append(data)
    try writer.commit()
  }

  /// Begins a replacement whose bytes arrive in pieces.
  ///
  /// - Throws: `FileSystemError` when no file can be created in the directory.
  public func begin() throws(FileSystemError) -> AtomicFileWriter {
    try AtomicFileWriter(self)
  }

  /// Returns the whole content; nil when the file does not exist.
  ///
  /// - Parameter limit: The most bytes to read, 0 or more.
  /// - Throws: `FileSystemError`, with `EFBIG` when the file is larger than the limit.
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

  /// Removes temporary files of killed writers; files in use by a writer stay.
  ///
  /// - Throws: `FileSystemError` when the directory cannot be listed.
  public static func removeLeftovers(
    in directory: String, of files: any FileSystem = LocalFileSystem()
  ) throws(FileSystemError) {
    for name in try files.list(directory) where TemporaryName.isOne(name) {
      removeIfUnused(directory + "/" + name, of: files)
    }
  }

  /// Removes a file unless another open file holds its lock.
  static func removeIfUnused(_ path: String, of files: any FileSystem) {
    // A file that cannot be opened, locked or removed is left for the next clean-up.
    guard let file = try? files.open(path, [.write, .noFollow]), (try? file.tryLock()) == true else { return }
    try? files.remove(path)
  }
}

/// The names of temporary files.
enum TemporaryName {
  private static let prefix = ".curlew-"
  private static let suffix = ".tmp"

  /// Returns a random path for a temporary file in the directory of another file.
  static func beside(_ path: String) -> String {
    directory(of: path) + "/" + prefix + String(UInt64.random(in: .min ... .max), radix: 16) + suffix
  }

  /// Returns the path at which the replacement of a journal is written.
  ///
  /// Every process uses the same path, so the next one takes over a file that a killed one has left there.
  static func besideJournal(_ path: String) -> String { path + "-new" }

  static func isOne(_ name: String) -> Bool { name.hasPrefix(prefix) && name.hasSuffix(suffix) }

  /// Returns the directory of a file's path.
  static func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
  }
}

extension OpenFile {
  /// Writes all bytes at an offset.
  func write(_ data: Data, at offset: Int64) throws(FileSystemError) {
    var failure: FileSystemError?
    data.withUnsafeBytes { bytes in
      do throws(FileSystemError) { try write(bytes, at: offset) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Returns the bytes in a range of offsets, or fewer at the end of the file.
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
