import CurlewCore
import CurlewDigests
import FoundationEssentials
import Synchronization

/// Receives the bytes of one body: counts and hashes them, checks the limit and passes them on.
final class BodyConsumer: BodySink {
  /// The digest, which reads bytes that belong to the transport.
  // Safe because it is used only under the lock, and keeps none of the bytes.
  private struct Hashing: @unchecked Sendable { var digest: Digest }

  private let meter: TransferMeter
  private let limit: Int64?
  private let hashing: Mutex<Hashing>?
  private let write: @Sendable (UnsafeRawBufferPointer) throws -> Void

  /// - Parameters:
  ///   - limit: The limit in bytes; nil means none.
  ///   - write: Receives the bytes.
  init(
    meter: TransferMeter, limit: Int64?, hashing: Bool,
    write: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    self.meter = meter
    self.limit = limit
    self.hashing = hashing ? Mutex(Hashing(digest: try Digest(.sha256))) : nil
    self.write = write
  }

  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
    let total = meter.advance(by: bytes.count)
    if let limit, total > limit { throw Self.tooLarge(limit) }
    hashing?.withLock { $0.digest.update(bytes) }
    try write(bytes)
    return .more
  }

  /// Returns the SHA-256 of all bytes in hexadecimal; nil unless bodies are hashed.
  func finish() throws -> String? { try hashing?.withLock { try $0.digest.finish().hexadecimal } }

  static func tooLarge(_ limit: Int64) -> NetworkError {
    NetworkError(.bodyTooLarge, stage: .receivingBody, message: "The body is larger than \(limit) bytes.")
  }
}
