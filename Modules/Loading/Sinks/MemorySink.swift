public import CurlewCore
import FoundationEssentials

/// Collects a body in memory.
public struct MemorySink: TransferSink {
  /// The most bytes of the body.
  public let limit: Int

  /// Creates a sink.
  ///
  /// - Parameter limit: The most bytes, 0 or more; a longer body is `bodyTooLarge`.
  public init(limit: Int) { self.limit = max(0, limit) }

  /// Starts with an empty body.
  public nonisolated(nonsending) func open(
    _ head: ResponseHead, _ attempt: AttemptContext
  ) async throws -> any TransferWriter {
    if let length = head.expectedLength, length > limit { throw Writer.tooLarge(limit) }
    return Writer(limit: limit, expected: head.expectedLength)
  }

  /// Returns `.collected`, because the sink never pauses by itself.
  ///
  /// The bytes that a paused transfer's connection holds are within the limit.
  public var delivery: ResponseDelivery? { .collected }

  private final class Writer: TransferWriter {
    /// The most memory that is reserved for an announced length, in bytes.
    private static let mostReserved: Int64 = 1 << 20
    private let limit: Int
    /// The memory to reserve before the first byte.
    private let reserved: Int
    private let data = Guarded(Data())

    init(limit: Int, expected: Int64?) {
      self.limit = limit
      reserved = Int(min(max(0, expected ?? 0), Self.mostReserved))
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
      try data.withLock { data in
        guard bytes.count <= limit - data.count else { throw Self.tooLarge(limit) }
        if data.isEmpty, reserved > 0 { data = Data(capacity: reserved) }
        data.append(contentsOf: bytes)
      }
      return .more
    }

    func receive(chunk: Data) throws -> SinkDemand {
      // A body that came in one piece needs no other memory.
      let isKept = data.withLock { data in
        guard data.isEmpty, chunk.count >= reserved, chunk.count <= limit else { return false }
        data = chunk
        return true
      }
      return isKept ? .more : try chunk.withUnsafeBytes { try receive($0) }
    }

    nonisolated(nonsending) func finish() async throws -> TransferContent {
      .data(
        data.withLock { data in
          defer { data = Data() }
          return data
        })
    }

    static func tooLarge(_ limit: Int) -> NetworkError {
      NetworkError(
        .bodyTooLarge, stage: .receivingBody,
        message: "The body is larger than \(limit) bytes.", advice: "Raise the limit or take a file.")
    }
  }
}

extension TransferSink where Self == MemorySink {
  /// Collects the body in memory, at most `limit` bytes.
  public static func memory(limit: Int) -> MemorySink { MemorySink(limit: limit) }
}
