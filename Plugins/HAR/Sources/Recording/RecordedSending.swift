import CurlewContentCoding
import CurlewCore
import FoundationEssentials
import Glibc
import HTTPTypes
import Synchronization

/// One sending of a `HARRecordingTransport`: collects what is known, and writes it once.
final class RecordedSending: EventObserver {
  private struct State {
    var draft: HARDraft
    /// The request's streamed bytes; nil if there are too many.
    var uploaded: Data?
    /// How many bytes the stream has given, and whether it has ended.
    var uploadedCount: Int64 = 0
    var isUploaded = false
    /// The response's bytes; nil if there are too many.
    var received: Data? = Data()
    var pieces: [(bytes: Int, after: Duration)] = []
    var trailers: HTTPFields?
    var isOver = false
    /// Whether the reader left before the end.
    var isLeft = false
    var isWritten = false
  }

  private let exchange: Exchange
  private let log: HARLog
  private let redaction: Redaction?
  private let limit: Int
  private let state: Mutex<State>

  init(_ request: Request, _ exchange: Exchange, _ log: HARLog, _ redaction: Redaction?, limit: Int) {
    self.exchange = exchange
    self.log = log
    self.redaction = redaction
    self.limit = max(0, limit)
    state = Mutex(
      State(
        draft: HARDraft(
          request, at: exchange.settings.clock.now, exchange: exchange.id, attempt: exchange.attempt, hop: exchange.hop)
      ))
  }

  /// True: secrets are replaced when the entry is written, after the content was looked at.
  var wantsSecrets: Bool { true }

  func observe(_ event: ExchangeEvent) {
    switch event.kind {
    case .connected(let reused): state.withLock { $0.draft.reused = reused }
    case .informational(let head): state.withLock { $0.draft.informational.append(head) }
    case .measured(let metrics):
      state.withLock { $0.draft.metrics = metrics }
      writeIfComplete()
    default: break
    }
  }

  /// The pieces of a body that are recorded; the last one is longer if there are more.
  private static let pieceLimit = 10_000

  // MARK: The request's body

  func beginUpload() {
    state.withLock { state in
      state.uploaded = Data()
      state.uploadedCount = 0
      state.isUploaded = false
    }
  }

  func endUpload() { state.withLock { $0.isUploaded = true } }

  func upload(_ chunk: Data) {
    state.withLock { state in
      state.uploadedCount += Int64(chunk.count)
      guard let count = state.uploaded?.count else { return }
      if chunk.count > limit - count { state.uploaded = nil } else { state.uploaded?.append(chunk) }
    }
  }

  // MARK: The response

  func respond(_ head: ResponseHead) {
    state.withLock { state in
      state.draft.head = head
      state.draft.answered = exchange.settings.clock.now
    }
  }

  func receive(_ piece: Data) {
    state.withLock { state in
      guard let count = state.received?.count else { return }
      guard piece.count <= limit - count else {
        state.received = nil
        state.pieces = []
        return
      }
      state.received?.append(piece)
      guard state.pieces.count < Self.pieceLimit else {
        state.pieces[Self.pieceLimit - 1].bytes += piece.count
        return
      }
      let now = exchange.settings.clock.now
      state.pieces.append((piece.count, state.draft.answered.map { $0.duration(to: now) } ?? .zero))
    }
  }

  /// Records the end of the sending; only the first one counts.
  func end(_ error: (any Error)?, trailers: HTTPFields? = nil) {
    state.withLock { state in
      guard !state.isOver else { return }
      state.isOver = true
      state.trailers = trailers
      if error is CancellationError { state.draft.isCancelled = true } else { state.draft.error = error }
      if state.draft.head == nil, state.draft.metrics == nil { state.draft.metrics = ExchangeMetrics() }
    }
    writeIfComplete()
  }

  /// Records that the reader left.
  func leave() {
    state.withLock { state in
      guard !state.isOver else { return }
      state.isOver = true
      state.isLeft = true
    }
    writeIfComplete()
  }

  private func writeIfComplete() {
    let ended = state.withLock { state -> State? in
      guard state.isOver, state.draft.metrics != nil, !state.isWritten else { return nil }
      state.isWritten = true
      return state
    }
    guard let ended else { return }
    var draft = ended.draft
    draft.content = content(of: ended)
    log.write(draft, redaction: redaction)
    log.writer.catchUp()
  }

  // MARK: Content

  private func content(of state: State) -> HARContent {
    var content = HARContent()
    content.requestIsPartial = isPartial(state)
    content.request = content.requestIsPartial ? nil : requestContent(of: state)
    content.trailers = state.trailers
    guard let head = state.draft.head else { return content }
    guard var bytes = state.received else {
      content.omission = "it is longer than \(limit) bytes"
      return content
    }
    if state.isLeft { content.omission = "the reader left after \(bytes.count) bytes" }
    content.pieces = state.pieces
    if let redaction {
      let codings = ContentCoding.applied(in: head.headerFields)
      if !codings.isEmpty, !bytes.isEmpty {
        guard !state.isLeft, state.draft.error == nil, let plain = Self.decoded(bytes, codings, limit: limit) else {
          content.omission = "its content coding cannot be decoded, so that secrets in it would not be found"
          content.pieces = []
          return content
        }
        bytes = plain
        content.isDecoded = true
        content.pieces = []
      }
      guard
        let masked = ContentMask(redaction: redaction, request: state.draft.request).masked(
          bytes, type: head.headerFields[.contentType])
      else {
        content.omission = "secrets in content of its type would not be found"
        content.pieces = []
        return content
      }
      bytes = masked
    }
    content.response = bytes
    return content
  }

  /// Whether what is known of the request's body is not all of it.
  private func isPartial(_ state: State) -> Bool {
    switch state.draft.request.body.source {
    case .empty, .bytes: false
    case .file(let region): region.length != state.draft.metrics?.bytesSent && state.draft.error != nil
    // A transport need not ask again after the announced length.
    case .stream(let stream): !state.isUploaded && state.uploadedCount != stream.length
    }
  }

  private func requestContent(of state: State) -> Data? {
    let bytes: Data? =
      switch state.draft.request.body.source {
      case .empty: nil
      case .bytes(let data): data.count <= limit ? data : nil
      case .file(let region): region.length <= Int64(limit) ? region.contents() : nil
      case .stream: state.uploaded
      }
    guard let bytes, let redaction else { return bytes }
    let request = state.draft.request
    return ContentMask(redaction: redaction, request: request).masked(bytes, type: request.headerFields[.contentType])
  }

  /// Returns decoded content; nil if it is faulty, unknown or longer than the limit.
  private static func decoded(_ bytes: Data, _ codings: [ContentCoding], limit: Int) -> Data? {
    guard let decoder = try? ContentDecoder(codings) else { return nil }
    var plain = Data()
    do throws(ContentDecodingError) {
      decoder.feed(bytes)
      while let piece = try decoder.next() {
        guard piece.count <= limit - plain.count else { return nil }
        plain.append(piece)
      }
      try decoder.finish()
    } catch {
      return nil
    }
    return plain
  }
}

extension Body.FileRegion {
  /// Reads the bytes of the region; nil if the file cannot be read or has become shorter.
  func contents() -> Data? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0, let count = Int(exactly: length) else { return nil }
    defer { close(descriptor) }
    var data = Data(count: count)
    var filled = 0
    while filled < count {
      let start = filled
      let read = data.withUnsafeMutableBytes { bytes in
        // Safe because the pointer is used only inside the closure, and `start` is below the count.
        pread(descriptor, bytes.baseAddress.map { $0 + start }, count - start, off_t(offset) + off_t(start))
      }
      guard read > 0 else { return nil }
      filled += read
    }
    return data
  }
}
