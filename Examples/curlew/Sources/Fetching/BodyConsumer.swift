import CurlewCore
import CurlewDigests
import FoundationEssentials

/// Takes the bytes of one body: counts, checks the limit, hashes, and hands them on.
final class BodyConsumer: BodySink {
  private let meter: TransferMeter
  private let limit: Int64?
  private let digest: Guarded<Digest>?
  private let write: @Sendable (UnsafeRawBufferPointer) throws -> Void

  /// - Parameters:
  ///   - limit: The most bytes; nil is no limit.
  ///   - write: Where they go.
  init(
    meter: TransferMeter, limit: Int64?, hashing: Bool,
    write: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    self.meter = meter
    self.limit = limit
    digest = hashing ? Guarded(try Digest(.sha256)) : nil
    self.write = write
  }

  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
    let total = meter.advance(by: bytes.count)
    if let limit, total > limit { throw Self.tooLarge(limit) }
    digest?.withLock { $0.update(bytes) }
    try write(bytes)
    return .more
  }

  /// SHA-256 of all bytes so far, in hexadecimal; nil when none was asked for.
  func finish() -> String? { digest?.withLock { $0.finish().hexadecimal } }

  static func tooLarge(_ limit: Int64) -> NetworkError {
    NetworkError(.bodyTooLarge, stage: .receivingBody, message: "The body is larger than \(limit) bytes.")
  }
}
