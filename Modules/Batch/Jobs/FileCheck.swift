import CurlewCore
import CurlewDigests
import CurlewDownload
import CurlewStorage
import FoundationEssentials

/// Detects whether the file of a download exists already.
///
/// The proof is the digest of the file; without one, the note of the worker that was about to publish it, if the file was not
/// changed since. The name alone proves nothing.
final class FileCheck: Sendable {
  private let files: any FileSystem
  private let work = DiskWork()

  init(_ files: any FileSystem) { self.files = files }

  /// Returns the file of a download; nil if it is missing or unproven.
  func result(of download: BatchDownload, _ digest: ExpectedDigest?, note: Data?) async throws -> BatchFile? {
    let record = note.flatMap { try? BatchFile(output: $0) }
    guard record != nil || digest != nil else { return nil }
    return try await work.run { [files] () throws(any Error) -> BatchFile? in
      guard let status = try files.status(download.path), status.kind == .regular else { return nil }
      let own = record.flatMap { $0.path.utf8.elementsEqual(download.path.utf8) && $0.isUnchanged(status) ? $0 : nil }
      guard let digest else { return own }
      guard own != nil || !download.replaces,
        try Self.digest(of: download.path, digest.algorithm, in: files) == digest.value
      else { return nil }
      return BatchFile(path: download.path, status, digest: download.digest)
    }
  }

  private static func digest(
    of path: String, _ algorithm: DigestAlgorithm, in files: any FileSystem
  ) throws -> Data {
    let file = try files.open(path, .read)
    let digest = try Digest(algorithm)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 16)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while case let count = try file.read(into: buffer, at: offset), count > 0 {
      digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += Int64(count)
    }
    return try digest.finish()
  }
}
