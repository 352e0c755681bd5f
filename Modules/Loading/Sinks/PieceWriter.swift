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
