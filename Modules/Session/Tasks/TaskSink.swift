import CurlewCore
import CurlewDownload
import CurlewLoading
import FoundationEssentials
import HTTPTypes

/// Asks a task's hooks about each response, and stores its body in memory or in a file.
final class TaskSink: TransferSink {
  /// The sink of a response that stays in memory.
  private let memory: CheckedSink
  private let link: TaskLink
  private let respond: (@Sendable (SessionTask, ResponseHead) async throws -> ResponseDisposition)?
  private let tell: (@Sendable (SessionTask, Data) async throws -> Void)?
  private let state = Guarded(State())

  private struct State {
    var file: PartialSink?
    /// The request of the current attempt, as the task made it.
    var request: Request?
    /// The request of the current attempt, as it is sent.
    var prepared: Request?
  }

  init(
    _ memory: CheckedSink, _ link: TaskLink,
    respond: (@Sendable (SessionTask, ResponseHead) async throws -> ResponseDisposition)?,
    tell: (@Sendable (SessionTask, Data) async throws -> Void)?
  ) {
    self.memory = memory
    self.link = link
    self.respond = respond
    self.tell = tell
  }

  /// The file of a response that has become a download; nil before that.
  var file: PartialSink? { respond == nil ? nil : state.withLock { $0.file } }

  /// Closes the file of a response that has become a download.
  var release: (@Sendable () async -> (any ResumableHandle)?)? {
    guard respond != nil else { return nil }
    return { [self] in await file?.close(keeping: true) }
  }

  /// Streamed if a hook may make the body a file, or receives it and takes its time.
  var delivery: ResponseDelivery? { tell == nil && respond == nil ? memory.delivery : .streamed }

  /// Returns the request for the missing bytes only, if that is safe.
  nonisolated(nonsending) func prepare(_ request: Request, _ attempt: AttemptContext) async throws -> Request {
    // Without this hook the response cannot become a file.
    guard respond != nil else { return try await memory.prepare(request, attempt) }
    let prepared =
      if let file { try await file.prepare(request, attempt) } else { try await memory.prepare(request, attempt) }
    state.withLock { state in
      state.request = request
      state.prepared = prepared
    }
    return prepared
  }

  /// Whether a response answers a request for missing bytes, so that it continues an earlier one.
  private func isRest(_ head: ResponseHead) -> Bool {
    let asked = state.withLock { state in
      state.prepared?.headerFields[.range] != nil && state.request?.headerFields[.range] == nil
    }
    return asked && (head.status == .partialContent || head.status == .rangeNotSatisfiable)
  }

  nonisolated(nonsending) func open(
    _ head: ResponseHead, _ attempt: AttemptContext
  ) async throws -> any TransferWriter {
    guard respond == nil, tell == nil else { return try await openAsking(head, attempt) }
    return try await memory.open(head, attempt)
  }

  /// Asks the hooks; not inlined, since its variables would lie in the frame of every attempt.
  private nonisolated(nonsending) func openAsking(
    _ head: ResponseHead, _ attempt: AttemptContext
  ) async throws -> any TransferWriter {
    if let file { return try await Self.open(file, head, attempt, isRest: isRest(head)) }
    if let respond, !isRest(head) {
      guard let task = link.task else { throw CancellationError() }
      switch try await respond(task, head) {
      case .allow: break
      case .cancel: throw CancellationError()
      case .becomeDownload(let target, let options):
        return try await convert(to: target, options, head, attempt)
      }
    }
    let writer = try await memory.open(head, attempt)
    guard let tell else { return writer }
    return PieceWriter(to: writer) { [link] piece in
      // Parts are not separated here, so each piece is data.
      guard case .data(let data) = piece else { return }
      guard let task = link.task else { throw CancellationError() }
      try await tell(task, data)
    }
  }

  /// Opens a file for a response, whose status has to be a success.
  private static func open(
    _ file: PartialSink, _ head: ResponseHead, _ attempt: AttemptContext, isRest: Bool
  ) async throws -> any TransferWriter {
    // The file examines a 416, which may mean that nothing is missing.
    if !isRest || head.status != .rangeNotSatisfiable { try TransferValidation.successStatus(head) }
    return try await file.open(head, attempt)
  }

  /// Makes the response a download, which another task continues.
  ///
  /// - Throws: The errors of a download, which are then those of the data task.
  private func convert(
    to target: DownloadTarget, _ options: PartialSink.Options, _ head: ResponseHead, _ attempt: AttemptContext
  ) async throws -> any TransferWriter {
    // The body of an error is not a file.
    try TransferValidation.successStatus(head)
    guard let core = link.core, let request = state.withLock({ $0.request }) else { throw CancellationError() }
    let file = PartialSink(target, options: options, on: core.session.disk)
    do {
      // This takes the lock. Stored bytes of an earlier download are not asked for: the response is already here.
      _ = try await file.prepare(request, attempt)
      guard core.becomeDownload(to: target, { state.withLock { $0.file = file } }) else {
        throw CancellationError()
      }
    } catch {
      await file.close(keeping: true)
      throw error
    }
    return try await file.open(head, attempt)
  }
}
