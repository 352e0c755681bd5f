public import CurlewCore
import FoundationEssentials
import Glibc

extension Certificate {
  /// Reads the certificates of a file in DER or PEM.
  ///
  /// - Throws: `SecurityError` of kind `unreadableFile` when it cannot be read, is not a regular file, or is longer than
  ///   16 MiB; the errors of `all(in:)`.
  public static func all(
    inFile path: String, of files: any FileSystem = LocalFileSystem()
  ) throws(SecurityError) -> [Certificate] {
    let bytes = try SecurityFile.bytes(path, of: files)
    do throws(SecurityError) {
      return try all(in: bytes)
    } catch {
      throw SecurityError(error.kind, "\(path): \(error.message)", advice: error.advice)
    }
  }

  /// Reads the certificates of all certificate files in a directory.
  ///
  /// Their names end in `.cer`, `.crt`, `.der` or `.pem`. Files are read in order of their names, and subdirectories are
  /// ignored. A file that cannot be read is an error: skipping it could leave out a pin unnoticed.
  ///
  /// - Throws: The errors of `all(inFile:of:)`; of kind `unreadableFile` also when the directory cannot be listed or has more
  ///   than 1,000 such files.
  public static func all(
    inDirectory path: String, of files: any FileSystem = LocalFileSystem()
  ) throws(SecurityError) -> [Certificate] {
    let names: [String]
    do throws(FileSystemError) {
      names = try files.list(path)
    } catch {
      throw SecurityError(.unreadableFile, "\(path) cannot be listed: \(error.reason).", advice: error.advice)
    }
    let endings = [".cer", ".crt", ".der", ".pem"]
    let chosen = names.filter { name in endings.contains { name.lowercased().hasSuffix($0) } }.sorted()
    guard chosen.count <= 1_000 else {
      throw SecurityError(.unreadableFile, "\(path) has more than 1,000 certificate files, the limit.")
    }
    var certificates: [Certificate] = []
    for name in chosen { certificates += try all(inFile: path + "/" + name, of: files) }
    return certificates
  }
}

extension RevocationList {
  /// Reads the revocation lists of a file in DER or PEM.
  ///
  /// - Throws: `SecurityError` of kind `unreadableFile` when it cannot be read, is not a regular file, or is longer than
  ///   16 MiB; of kind `malformedRevocationList` when a list is malformed.
  public static func all(
    inFile path: String, of files: any FileSystem = LocalFileSystem()
  ) throws(SecurityError) -> [RevocationList] {
    let bytes = try SecurityFile.bytes(path, of: files)
    return bytes.first == 0x30 ? [try RevocationList(der: bytes)] : try all(pem: bytes)
  }
}

/// Reads whole files of certificates and lists.
enum SecurityFile {
  private static let most: Int64 = 16 << 20

  static func bytes(_ path: String, of files: any FileSystem) throws(SecurityError) -> Data {
    do throws(FileSystemError) {
      if let content = try regular(path, of: files) { return content }
    } catch {
      throw SecurityError(.unreadableFile, "\(path) cannot be read: \(error.reason).", advice: error.advice)
    }
    throw SecurityError(.unreadableFile, "\(path) is not a regular file.", advice: "Give the path of one.")
  }

  /// Returns the content of a regular file, or nil for anything else.
  ///
  /// A pipe, for example, reports the length 0.
  private static func regular(_ path: String, of files: any FileSystem) throws(FileSystemError) -> Data? {
    if let status = try files.status(path), status.kind != .regular { return nil }
    let file = try files.open(path, .read)
    let length = try file.length()
    guard length <= most else { throw FileSystemError(code: EFBIG, operation: "read", path: path) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(length), alignment: 1)
    defer { buffer.deallocate() }
    let count = try file.read(into: buffer, at: 0)
    try file.close()
    return Data(buffer.prefix(count))
  }
}
