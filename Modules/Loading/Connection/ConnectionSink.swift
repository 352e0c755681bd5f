import CurlewCore
import FoundationEssentials

/// Hands response and body to the delegate, one piece after the other.
struct ConnectionSink: TransferSink {
  let relay: ConnectionRelay

  func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter {
    // What the executor has queued of the upload is told before the response, and nothing afterwards.
    try await relay.ask { [relay] connection, delegate in
      relay.respond()
      delegate.connection(connection, didReceive: head)
    }
    if let reader = Self.parts(head) { return PartWriter(relay, head, reader) }
    return PieceWriter(relay)
  }

  /// The delegate takes its time.
  var delivery: ResponseDelivery? { .streamed }

  /// What takes the parts of a body apart that replace one another; nil for any other body.
  private static func parts(_ head: ResponseHead) -> MultipartReader? {
    guard let type = head.mediaType, type.essence == "multipart/x-mixed-replace",
      let boundary = type["boundary"]
    else { return nil }
    // A camera sends parts for ever.
    return try? MultipartReader(boundary: boundary, limits: .init(parts: .max))
  }
}

/// Hands the bytes over as they come; the transport is left alone until each piece was taken.
private final class PieceWriter: TransferWriter {
  private let relay: ConnectionRelay
  private let piece = Guarded(Data())

  init(_ relay: ConnectionRelay) { self.relay = relay }

  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
    guard !bytes.isEmpty else { return .more }
    let data = Data(bytes)
    piece.withLock { $0 = data }
    return .pause
  }

  func ready() async throws {
    let data = piece.withLock { piece in
      defer { piece = Data() }
      return piece
    }
    try await relay.ask { $1.connection($0, didReceive: data) }
  }

  func finish() async throws -> TransferContent { .taken }
}

/// Takes the parts of a `multipart/x-mixed-replace` apart; each has a response of its own.
private final class PartWriter: TransferWriter {
  private let relay: ConnectionRelay
  private let head: ResponseHead
  private let reader: Guarded<MultipartReader>

  init(_ relay: ConnectionRelay, _ head: ResponseHead, _ reader: MultipartReader) {
    self.relay = relay
    self.head = head
    self.reader = Guarded(reader)
  }

  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
    let data = Data(bytes)
    reader.withLock { $0.feed(data) }
    return .pause
  }

  func ready() async throws { try await hand() }

  func finish() async throws -> TransferContent {
    reader.withLock { $0.end() }
    try await hand()
    return .taken
  }

  private func hand() async throws {
    while let event = try next() {
      switch event {
      case .partBegan(let fields):
        let part = ResponseHead(url: head.url, status: head.status, version: head.version, headerFields: fields)
        try await relay.ask { $1.connection($0, didReceive: part) }
      case .body(let data): try await relay.ask { $1.connection($0, didReceive: data) }
      case .partEnded, .finished: break
      }
    }
  }

  private func next() throws -> MultipartReader.Event? {
    do throws(MultipartError) {
      return try reader.withLock { (reader) throws(MultipartError) in try reader.next() }
    } catch  where error.kind == .truncated {
      // The transport has vouched for the end of the stream; such a server just stops when it has no more to show.
      return nil
    } catch {
      throw NetworkError(
        .serializationFailed, stage: .receivingBody, message: "The parts of the body cannot be told apart.",
        underlying: error)
    }
  }
}
