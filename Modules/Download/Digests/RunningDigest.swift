import CurlewCore
import CurlewDigests
import FoundationEssentials
import Glibc

/// The digest of a growing file.
///
/// Bytes that are written in order are hashed at once, other bytes are read from the file later. Only the disk's thread uses
/// it.
final class RunningDigest {
  /// The most bytes to read and hash at once.
  ///
  /// The limit keeps other downloads on the same disk from waiting long.
  static let piece: Int64 = 8 << 20
  private static let buffer: Int64 = 262_144

  let algorithm: DigestAlgorithm
  private let digest: Digest
  private let start: Int64
  /// The offset behind the last byte that is in the digest.
  private(set) var position: Int64
  private var value: Data?

  /// - Parameter start: The offset of the first byte that belongs to it.
  init(_ algorithm: DigestAlgorithm, from start: Int64 = 0) throws(DigestError) {
    self.algorithm = algorithm
    self.start = start
    position = start
    digest = try Digest(algorithm)
  }

  /// Hashes bytes that were written at an offset.
  ///
  /// Bytes that do not follow the previous ones are read from the file later.
  func absorb(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
    guard offset == position, value == nil else { return }
    digest.update(bytes)
    position += Int64(bytes.count)
  }

  /// Starts again if the digest covers bytes that were cut off.
  func cut(to length: Int64) {
    guard position > length || value != nil else { return }
    _ = try? digest.finish()
    position = start
    value = nil
  }

  /// Reads at most one piece of the bytes that are missing up to a length.
  ///
  /// - Returns: Whether the digest now covers all bytes up to the length.
  func catchUp(_ file: any OpenFile, to length: Int64) throws(FileSystemError) -> Bool {
    let end = min(length, position + Self.piece)
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(Self.buffer), alignment: 16)
    defer { bytes.deallocate() }
    while position < end {
      let wanted = UnsafeMutableRawBufferPointer(rebasing: bytes[..<Int(min(Self.buffer, end - position))])
      let count = try file.read(into: wanted, at: position)
      guard count > 0 else { throw FileSystemError(code: EIO, operation: "pread", path: "") }
      digest.update(UnsafeRawBufferPointer(rebasing: wanted[..<count]))
      position += Int64(count)
    }
    return position >= length
  }

  /// Returns the digest of all bytes so far.
  ///
  /// Afterwards it accepts no bytes, unless the file is cut.
  ///
  /// - Throws: `DigestError` when OpenSSL had no memory; the digest then covers no bytes, and `catchUp` reads them again.
  func finish() throws(DigestError) -> Data {
    if let value { return value }
    let covered = position
    position = start
    let result = try digest.finish()
    position = covered
    value = result
    return result
  }
}
