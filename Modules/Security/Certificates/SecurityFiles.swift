public import CurlewCore
import FoundationEssentials
import Glibc

extension Certificate {
  /// Reads the certificates of a file, DER or PEM.
  ///
  /// - Throws: `SecurityError` of kind `unreadableFile` when it cannot be read or is longer than 16 MiB, and as
  ///   `all(in:)`.
  public static func all(
    inFile path: String, of files: any FileSystem = LocalFileSystem()
  ) throws(SecurityError) -> [Certificate] {
    let bytes = try SecurityFile.bytes(path, of: files)
    do throws(SecurityError) {
      return try all(in: bytes)
    } catch {
      throw SecurityError(error.kind, "\(path): \(error.message)")
    }
  }

  /// Reads the certificates of all files in a directory whose names end in `.cer`, `.crt`, `.der` or `.pem`.
  ///
  /// A file that cannot be read is an error, never passed over: a pin that is silently missing would be one that is not
  /// checked. Directories in it are not entered. In order of the files' names.
  ///
  /// - Throws: As `all(inFile:of:)`, and of kind `unreadableFile` when the directory cannot be listed or holds more than
  ///   1,000 such files.
  public static func all(
    inDirectory path: String, of files: any FileSystem = LocalFileSystem()
  ) throws(SecurityError) -> [Certificate] {
    let names: [String]
    do throws(FileSystemError) {
      names = try files.list(path)
    } catch {
      throw SecurityError(.unreadableFile, "\(path) cannot be listed: \(error.reason).")
    }
    let endings = [".cer", ".crt", ".der", ".pem"]
    let chosen = names.filter { name in endings.contains { name.lowercased().hasSuffix($0) } }.sorted()
    guard chosen.count <= 1_000 else {
      throw SecurityError(.unreadableFile, "\(path) holds more than 1,000 certificate files.")
    }
    var certificates: [Certificate] = []
    for name in chosen { certificates += try all(inFile: path + "/" + name, of: files) }
    return certificates
  }
}

extension RevocationList {
  /// Reads the lists of a file, DER or PEM.
  ///
  /// - Throws: `SecurityError` of kind `unreadableFile` when it cannot be read or is longer than 16 MiB, and of kind
  ///   `malformedRevocationList`.
  public static func all(
    inFile path: String, of files: any FileSystem = LocalFileSystem()
  ) throws(SecurityError) -> [RevocationList] {
    let bytes = try SecurityFile.bytes(path, of: files)
    return bytes.first == 0x30 ? [try RevocationList(der: bytes)] : try all(pem: bytes)
  }
}

/// Whole files of certificates, lists and keys.
enum SecurityFile {
  private static let most: Int64 = 16 << 20

  static func bytes(_ path: String, of files: any FileSystem) throws(SecurityError) -> Data {
    do throws(FileSystemError) {
      let file = try files.open(path, .read)
      let length = try file.length()
      guard length <= most else { throw FileSystemError(code: EFBIG, operation: "read", path: path) }
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(length), alignment: 1)
      defer { buffer.deallocate() }
      let count = try file.read(into: buffer, at: 0)
      try file.close()
      return Data(buffer.prefix(count))
    } catch {
      throw SecurityError(.unreadableFile, "\(path) cannot be read: \(error.reason).")
    }
  }
}
