package import CurlewCore
package import CurlewLoading
import HTTPTypes

/// Checks heads before any of the body is stored, and keeps the bytes of a `GET` for another attempt.
///
/// Operations and session tasks use it for content in memory. Use one sink for one transfer.
package final class CheckedSink: TransferSink {
  private struct State {
    /// Whether the current attempt requested a range.
    var asksForRange = false
    /// Whether the bytes of the current attempt may be kept.
    var keepsBytes = false
    /// The head of the response that began the body.
    var head: ResponseHead?
  }

  private let check: @Sendable (ResponseHead, _ isRest: Bool) throws -> Void
  private let plain: any TransferSink
  private let memory: ResumableMemorySink?
  private let state = Guarded(State())

  /// Creates a sink.
  ///
  /// - Parameters:
  ///   - limit: The most bytes in memory.
  ///   - custom: The app's own sink; nil collects the body in memory.
  ///   - check: Checks a head, and throws to refuse it. `isRest` is true for the response to a request for the missing bytes,
  ///     whose status does not describe the whole body.
  package init(
    limit: Int, custom: (any TransferSink)?,
    _ check: @escaping @Sendable (ResponseHead, _ isRest: Bool) throws -> Void
  ) {
    self.check = check
    plain = custom ?? MemorySink(limit: limit)
    memory = custom == nil ? ResumableMemorySink(limit: limit) : nil
  }

  /// The head of the response that began the body; nil before that.
  package var head: ResponseHead? { state.withLock { $0.head } }

  /// The delivery of the app's own sink.
  package var delivery: ResponseDelivery? { plain.delivery }

  /// Returns the request for the missing bytes, if some were kept.
  ///
  /// A request for the whole body stays unchanged, so that it may be compressed and answered by a cache.
  package nonisolated(nonsending) func prepare(
    _ request: Request, _ attempt: AttemptContext
  ) async throws -> Request {
    guard let memory else {
      let prepared = try await plain.prepare(request, attempt)
      note(asksForRange: prepared.headerFields[.range] != request.headerFields[.range], keepsBytes: false)
      return prepared
    }
    let fields = request.headerFields
    let isOwnRange = fields.has(.range) || fields.has(.ifRange)
    guard request.method == .get, !isOwnRange else {
      note(asksForRange: false, keepsBytes: false)
      return request
    }
    let rest = memory.rest(of: request)
    note(asksForRange: rest != nil, keepsBytes: true)
    guard let rest else { return request }
    return try request.askingForRest(from: rest.offset, rest.validator)
  }

  /// Checks the head, and opens the sink for the body.
  ///
  /// - Throws: The error of the check; the errors of the sink.
  package nonisolated(nonsending) func open(
    _ head: ResponseHead, _ attempt: AttemptContext
  ) async throws -> any TransferWriter {
    let (isRest, keepsBytes) = (isRest(head), state.withLock { $0.keepsBytes })
    try check(head, isRest)
    if !isRest { state.withLock { $0.head = head } }
    // A part that was not asked for must not pass for the whole; the memory's plan refuses it.
    let isPart = head.status == .partialContent
    guard let memory, keepsBytes, isRest || isPart || Self.isWhole(head) else {
      return try await plain.open(head, attempt)
    }
    return try memory.writer(for: head)
  }

  /// Returns whether a response is the answer to a request for the missing bytes.
  package func isRest(_ head: ResponseHead) -> Bool {
    state.withLock { $0.asksForRange } && (head.status == .partialContent || head.status == .rangeNotSatisfiable)
  }

  private func note(asksForRange: Bool, keepsBytes: Bool) {
    state.withLock { state in
      state.asksForRange = asksForRange
      state.keepsBytes = keepsBytes
    }
  }

  /// Returns whether a resumption can use the body; other bodies are only collected.
  private static func isWhole(_ head: ResponseHead) -> Bool {
    guard (200...299).contains(head.status.code) else { return false }
    return head.undoneCoding != nil || !head.headerFields.has(.contentEncoding)
  }
}
