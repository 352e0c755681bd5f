package import CurlewCore
package import FoundationEssentials
package import HTTPTypes

/// Stores each piece of a body, reports it, and then lets the transport continue.
///
/// The body is stored as it was sent, even if its parts are reported separately (`ReplacingParts`).
package final class PieceWriter: TransferWriter {
  private struct State {
    /// The piece that was stored and not reported yet.
    var piece = Data()
    var isStoragePaused = false
    var parts: ReplacingParts?
  }

  private let storage: any TransferWriter
  private let hasParts: Bool
  private let state: Guarded<State>
  private let report: @Sendable (ReplacingParts.Piece) async throws -> Void

  /// Creates a writer.
  ///
  /// - Parameters:
  ///   - storage: Stores the body; nil stores nothing.
  ///   - parts: Separates the parts of the body; nil reports the bytes as they arrive.
  ///   - report: Called with each piece in order. Nothing more is received before it returns, and its error fails the attempt.
  package init(
    to storage: (any TransferWriter)? = nil, _ parts: ReplacingParts? = nil,
    report: @escaping @Sendable (ReplacingParts.Piece) async throws -> Void
  ) {
    self.storage = storage ?? NoStorage()
    hasParts = parts != nil
    state = Guarded(State(parts: parts))
    self.report = report
  }

  package var wantsBody: Bool { storage.wantsBody }
  package var offset: Int64 { storage.offset }
  package var total: Int64? { storage.total }

  package func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand { try receive(chunk: Data(bytes)) }

  package func receive(chunk: Data) throws -> SinkDemand {
    let demand = try storage.receive(chunk: chunk)
    guard !chunk.isEmpty else { return demand }
    state.withLock { state in
      state.piece = chunk
      state.isStoragePaused = demand == .pause
    }
    return .pause
  }

  package func ready() async throws {
    let (piece, isStoragePaused) = state.withLock { state in
      defer {
        state.piece = Data()
        state.isStoragePaused = false
      }
      return (state.piece, state.isStoragePaused)
    }
    if hasParts {
      state.withLock { $0.parts?.feed(piece) }
      try await reportParts()
    } else if !piece.isEmpty {
      try await report(.data(piece))
    }
    if isStoragePaused { try await storage.ready() }
  }

  package func receive(trailers: HTTPFields) { storage.receive(trailers: trailers) }

  package func finish() async throws -> TransferContent {
    if hasParts {
      state.withLock { $0.parts?.end() }
      try await reportParts()
    }
    return try await storage.finish()
  }

  package func abandon() async { await storage.abandon() }

  private func reportParts() async throws {
    while let piece = try state.withLock({ try $0.parts?.next() }) { try await report(piece) }
  }
}

/// Stores no byte of a body that is only reported.
private final class NoStorage: TransferWriter {
  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand { .more }
  func receive(chunk: Data) throws -> SinkDemand { .more }
  func finish() async throws -> TransferContent { .taken }
}

/// Splits a `multipart/x-mixed-replace` body into its parts.
///
/// Each part has a head of its own and replaces the part before it.
package struct ReplacingParts: Sendable {
  /// A piece of the body.
  package enum Piece: Sendable {
    /// A part begins: the head of the whole response with the part's fields.
    case head(ResponseHead)
    /// Bytes of the current part, at least one.
    case data(Data)
  }

  private let head: ResponseHead
  private var reader: MultipartReader

  /// Creates a splitter for a response; nil if its body is not of this kind.
  package init?(_ head: ResponseHead) {
    // The number of parts has no limit, because a camera sends them until it is switched off.
    guard let type = head.mediaType, type.essence == "multipart/x-mixed-replace", let boundary = type["boundary"],
      let reader = try? MultipartReader(boundary: boundary, limits: .init(parts: .max))
    else { return nil }
    self.head = head
    self.reader = reader
  }

  /// Adds bytes of the body.
  package mutating func feed(_ data: Data) { reader.feed(data) }

  /// Declares the end of the body.
  package mutating func end() { reader.end() }

  /// Returns the next piece; nil if it needs more bytes, and at the end.
  ///
  /// - Throws: `NetworkError` of kind `serializationFailed`.
  package mutating func next() throws(NetworkError) -> Piece? {
    do throws(MultipartError) {
      while let event = try reader.next() {
        switch event {
        case .partBegan(let fields):
          return .head(ResponseHead(url: head.url, status: head.status, version: head.version, headerFields: fields))
        case .body(let data): return .data(data)
        case .partEnded, .finished: break
        }
      }
      return nil
    } catch  where error.kind == .truncated {
      // The transport has found the body complete; such servers stop without sending the closing delimiter.
      return nil
    } catch {
      throw NetworkError(
        .serializationFailed, stage: .receivingBody, message: "The parts of the body cannot be told apart.",
        underlying: error)
    }
  }
}
