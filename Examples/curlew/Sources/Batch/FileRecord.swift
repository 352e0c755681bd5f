import CurlewCore
import CurlewDigests
import CurlewDownload
import FoundationEssentials

/// What a store keeps of a downloaded file, to prove later that the file of that name is this one.
struct FileRecord: Codable, Sendable, Hashable {
  var identity: FileIdentity
  var length: Int64
  /// When the file was changed last, in seconds since 1970.
  var modified: Int64
  /// The nanoseconds of that time within its second; nil in a record of an earlier version.
  var nanoseconds: Int64?
  /// The digest that it was checked against, as `sha-256:HEX`; nil when there was none.
  var digest: String?

  /// Creates the record of a file that is about to get its name.
  init(_ file: VerifiedFile) {
    identity = file.identity
    length = file.length
    modified = file.modified
    nanoseconds = file.modifiedNanoseconds
    digest = file.digest?.description
  }

  /// Creates the record of a file that is there.
  init(_ status: FileStatus, digest: String?) {
    identity = status.identity
    length = status.length
    modified = status.modified
    nanoseconds = status.modifiedNanoseconds
    self.digest = digest
  }

  /// Decodes a record; nil if the bytes are missing or are not a record.
  init?(encoded: Data?) {
    guard let encoded, let record = try? JSONDecoder().decode(FileRecord.self, from: encoded) else { return nil }
    self = record
  }

  var encoded: Data {
    // Cannot fail: numbers and a string.
    (try? JSONEncoder().encode(self)) ?? Data()
  }

  /// Returns the record of the file at a path if it is this one, by its identity or, where that differs, by its digest.
  ///
  /// A file that was changed in place, or that only has the name and the length, is another one. May block on the disk.
  func proven(at path: String, in files: any FileSystem) throws -> FileRecord? {
    guard let status = try files.status(path), status.kind == .regular, status.length == length else { return nil }
    let isSameTime =
      status.modified == modified && nanoseconds ?? status.modifiedNanoseconds == status.modifiedNanoseconds
    if status.identity == identity, isSameTime { return FileRecord(status, digest: digest) }
    guard let digest, let expected = try? ExpectedDigest(digest) else { return nil }
    return try Self.proven(at: path, by: expected, in: files)
  }

  /// Returns the record of the file at a path if it has a digest. May block on the disk.
  static func proven(at path: String, by expected: ExpectedDigest, in files: any FileSystem) throws -> FileRecord? {
    guard let status = try files.status(path), status.kind == .regular else { return nil }
    guard try Digest.ofFile(path, expected.algorithm, in: files) == expected.value else { return nil }
    return FileRecord(status, digest: expected.description)
  }
}

extension Digest {
  /// Returns the digest of a file's bytes. Blocks until all are read, or the task is cancelled.
  static func ofFile(
    _ path: String, _ algorithm: DigestAlgorithm, in files: any FileSystem = LocalFileSystem()
  ) throws -> Data {
    let file = try files.open(path, .read)
    let digest = try Digest(algorithm)
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var offset: Int64 = 0
    while true {
      let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
      guard count > 0 else { return try digest.finish() }
      buffer.withUnsafeBytes { digest.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      offset += Int64(count)
      try Task.checkCancellation()
    }
  }
}
