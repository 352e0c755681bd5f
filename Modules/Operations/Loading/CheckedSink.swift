import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewSerialization
import HTTPTypes

/// Distinguishes errors of a serializer from those of the transport.
struct SerializationNotes: Sendable {
  let note: @Sendable ((any Error)?) -> Void

  init(_ note: @escaping @Sendable ((any Error)?) -> Void) { self.note = note }

  /// Runs work of the serializer and records its error.
  func run<Result>(_ work: () throws -> Result) throws -> Result {
    do {
      return try work()
    } catch {
      note(error)
      throw error
    }
  }
}

/// Checks heads for a serializer, and keeps the bytes of a `GET` for a retry.
///
/// Heads are checked before any of the body is stored.
final class CheckedSink: ResumableSink {
  private struct State {
    /// Whether the current attempt requested a range.
    var asksForRange = false
    /// The head of the response that began the body.
    var head: ResponseHead?
  }

  private let validation: ResponseValidation
  private let plain: any TransferSink
  private let memory: ResumableMemorySink?
  private let noting: SerializationNotes
  private let state = Guarded(State())

  init(
    _ validation: ResponseValidation, _ request: Request, custom: (any TransferSink)?, _ noting: SerializationNotes
  ) {
    self.validation = validation
    self.noting = noting
    plain = custom ?? MemorySink(limit: validation.maximumBytes)
    let fields = request.headerFields
    let isOwnRange = fields[.range] != nil || fields[.ifRange] != nil
    memory =
      custom == nil && request.method == .get && !isOwnRange ? ResumableMemorySink(limit: validation.maximumBytes) : nil
  }

  /// The head of the response that began the body; nil before that.
  var head: ResponseHead? { state.withLock { $0.head } }

  /// The delivery of the app's own sink.
  var delivery: ResponseDelivery? { plain.delivery }

  /// Returns the request for the missing bytes, if some were kept.
  ///
  /// A request for the whole body stays unchanged, so that it may be compressed and answered by a cache.
  func prepare(_ request: Request, _ attempt: AttemptContext) async throws -> Request {
    guard let resumable = plain as? any ResumableSink ?? memory else { return request }
    let prepared = try await resumable.prepare(request, attempt)
    let asksForRange = prepared.headerFields[.range] != nil
    state.withLock { $0.asksForRange = asksForRange }
    return asksForRange || memory == nil ? prepared : request
  }

  /// Checks the head, and opens the sink for the body.
  ///
  /// - Throws: The refusal of the validation; the errors of the sink.
  func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter {
    noting.note(nil)
    let asksForRange = state.withLock { $0.asksForRange }
    let isPart = asksForRange && (head.status == .partialContent || head.status == .rangeNotSatisfiable)
    if !isPart {
      try noting.run { if let refusal = validation.check(head) { throw refusal } }
      state.withLock { $0.head = head }
    }
    guard let memory, isPart || Self.isWhole(head) else { return try await plain.open(head, attempt) }
    return try await memory.open(head, attempt)
  }

  /// Returns whether a resumption can use the body; other bodies are only collected.
  private static func isWhole(_ head: ResponseHead) -> Bool {
    guard (200...299).contains(head.status.code), head.status != .partialContent else { return false }
    return head.undoneCoding != nil || head.headerFields[.contentEncoding] == nil
  }
}
