import CurlewCore
import CurlewDigests
import CurlewLoading
import HTTPTypes

/// Receives the body of one attempt; the disk's thread writes it.
///
/// `receive` runs on the transport's thread and only copies bytes, into one buffer while the disk writes another. When two
/// buffers are full, the transport waits.
final class PartialWriter: TransferWriter {
  /// The time after which even an incomplete buffer is written.
  ///
  /// A killed process then loses little of a slow download.
  private static let patience = Duration.seconds(1)

  private struct State {
    var filling: WriteBuffer?
    var full: [WriteBuffer] = []
    /// The number of received bytes that are not in the file yet.
    var waiting = 0
    /// The offset of the next byte in the whole file.
    var position: Int64
    var isWriting = false
    var isFlushing = false
    var failure: (any Error)?
    var trailers: HTTPFields?
    /// When the oldest byte of `filling` arrived.
    var since: ContinuousClock.Instant
    var readyWaiter: CheckedContinuation<Void, any Error>?
    var flushWaiter: CheckedContinuation<Void, any Error>?

    /// Whether the current buffer is large or old enough to be written.
    func isFillingDue(at now: ContinuousClock.Instant, _ portion: Int) -> Bool {
      guard let filling else { return false }
      return filling.count >= portion || since.duration(to: now) >= PartialWriter.patience
    }
  }

  let file: PartialFile
  let plan: ResumePlan
  let head: ResponseHead
  let offset: Int64
  /// The digest of the body, if its `Content-Digest` is known.
  ///
  /// Only the disk's thread uses it.
  let part: PartDigest?
  private let disk: DownloadDisk
  private let sink: PartialSink
  private let limit: Int64
  private let state: Guarded<State>

  /// - Parameter offset: The current length of the file.
  init(
    _ file: PartialFile, _ plan: ResumePlan, _ head: ResponseHead, at offset: Int64, part: PartDigest?,
    for sink: PartialSink
  ) {
    self.file = file
    self.plan = plan
    self.head = head
    self.offset = offset
    self.part = part
    self.sink = sink
    disk = sink.disk
    limit = sink.options.sizeLimit ?? .max
    disk.beginWriting()
    state = Guarded(State(position: offset, since: disk.clock.now))
  }

  deinit { disk.endWriting() }

  /// The number of bytes to write at once; smaller when more downloads write.
  private var portion: Int { disk.portion }

  var wantsBody: Bool { plan.action != .complete }
  var total: Int64? { plan.total }

  /// The trailer fields; nil if the body has none.
  var trailers: HTTPFields? { state.withLock { $0.trailers } }

  /// Prepares the file on the disk's thread before the first byte is written.
  ///
  /// Meanwhile `receive` takes bytes until the buffers are full. If `prepare` fails, `receive`, `ready` and `flush` throw its
  /// error.
  func begin(_ prepare: @escaping @Sendable () throws -> Void) {
    state.withLock { $0.isWriting = true }
    disk.enqueue {
      do {
        try prepare()
      } catch {
        self.fail(DownloadError.disk(error, self.file.place.data))
        return
      }
      self.writeOut()
    }
  }

  func receive(trailers: HTTPFields) { state.withLock { $0.trailers = trailers } }

  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
    let (now, portion) = (disk.clock.now, disk.portion)
    let (starts, demand) = try state.withLock { state in
      if let failure = state.failure { throw failure }
      let (position, overflow) = state.position.addingReportingOverflow(Int64(bytes.count))
      guard !overflow, position <= limit else { throw DownloadError.tooLarge(limit) }
      guard position <= plan.end ?? .max else { throw Self.surplus }
      state.position = position
      state.waiting += bytes.count
      var rest = bytes
      while !rest.isEmpty {
        if state.filling == nil {
          state.filling = disk.buffers.take(capacity: portion)
          state.since = now
        }
        guard let buffer = state.filling else { break }
        rest = UnsafeRawBufferPointer(rebasing: rest[buffer.append(rest)...])
        if buffer.isFull {
          state.full.append(buffer)
          state.filling = nil
        }
      }
      let isDue = !state.full.isEmpty || state.isFillingDue(at: now, portion)
      let starts = isDue && !state.isWriting
      if starts { state.isWriting = true }
      return (starts, state.waiting >= 2 * portion ? SinkDemand.pause : .more)
    }
    if starts { disk.enqueue { self.writeOut() } }
    return demand
  }

  func ready() async throws {
    try await withCheckedThrowingContinuation { continuation in
      let outcome = state.withLock { state -> Result<Void, any Error>? in
        if let failure = state.failure { return .failure(failure) }
        // If nothing is being written, the buffered bytes are written together with the next ones.
        if state.waiting < 2 * portion || !state.isWriting { return .success(()) }
        state.readyWaiter = continuation
        return nil
      }
      if let outcome { continuation.resume(with: outcome) }
    }
  }

  /// Waits until all bytes are in the file.
  ///
  /// - Throws: The error of writing.
  func flush() async throws {
    try await withCheckedThrowingContinuation { continuation in
      let (outcome, starts) = state.withLock { state -> (Result<Void, any Error>?, Bool) in
        if let failure = state.failure { return (.failure(failure), false) }
        if state.waiting == 0, !state.isWriting { return (.success(()), false) }
        state.isFlushing = true
        state.flushWaiter = continuation
        defer { state.isWriting = true }
        return (nil, !state.isWriting)
      }
      if let outcome { continuation.resume(with: outcome) }
      if starts { disk.enqueue { self.writeOut() } }
    }
  }

  func finish() async throws -> TransferContent { try await sink.finish(self) }

  func abandon() async { await sink.abandon(self) }

  /// Writes one buffer if one is due, then lets other downloads use the thread.
  private func writeOut() {
    guard let buffer = next() else { return }
    do {
      try file.write(buffer.bytes)
      part?.absorb(buffer.bytes)
      try file.makeDurableIfDue()
    } catch {
      fail(DownloadError.disk(error, file.place.data))
      return
    }
    sink.note(file.length)
    done(with: buffer)
    disk.enqueue { self.writeOut() }
  }

  /// Returns the next buffer to write; nil if the thread may do other work.
  private func next() -> WriteBuffer? {
    let (now, portion) = (disk.clock.now, disk.portion)
    let (buffer, waiters) = state.withLock { state -> (WriteBuffer?, [CheckedContinuation<Void, any Error>?]) in
      if !state.full.isEmpty { return (state.full.removeFirst(), []) }
      if let filling = state.filling, state.isFlushing || state.isFillingDue(at: now, portion) {
        state.filling = nil
        return (filling, [])
      }
      state.isWriting = false
      state.isFlushing = false
      defer {
        state.flushWaiter = nil
        state.readyWaiter = nil
      }
      return (nil, [state.flushWaiter, state.readyWaiter])
    }
    for waiter in waiters { waiter?.resume() }
    return buffer
  }

  private func done(with buffer: WriteBuffer) {
    let (count, portion) = (buffer.count, disk.portion)
    disk.buffers.give(buffer)
    let waiter = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      state.waiting -= count
      guard state.waiting < 2 * portion else { return nil }
      defer { state.readyWaiter = nil }
      return state.readyWaiter
    }
    waiter?.resume()
  }

  private func fail(_ error: any Error) {
    let waiters = state.withLock { state in
      state.failure = error
      state.isWriting = false
      state.full = []
      state.filling = nil
      defer {
        state.readyWaiter = nil
        state.flushWaiter = nil
      }
      return [state.readyWaiter, state.flushWaiter]
    }
    for waiter in waiters { waiter?.resume(throwing: error) }
  }

  static let surplus = NetworkError(
    .protocolViolation, stage: .receivingBody, message: "The body is longer than its range.")
}

/// The digest of the body of one response.
// Safe because only the disk's thread calls it, for one piece of work at a time.
final class PartDigest: @unchecked Sendable {
  let expected: ExpectedDigest
  private let running: RunningDigest

  /// - Parameter offset: Where the body begins in the file.
  init?(_ expected: ExpectedDigest?, from offset: Int64) {
    guard let expected, let running = try? RunningDigest(expected.algorithm, from: offset) else { return nil }
    self.expected = expected
    self.running = running
  }

  func absorb(_ bytes: UnsafeRawBufferPointer) { running.absorb(bytes, at: running.position) }

  /// Reads and hashes at most one piece of the bytes that are not hashed yet.
  ///
  /// Such bytes were written before it was known that a digest is needed.
  ///
  /// - Returns: Whether the digest now covers all bytes.
  func catchUp(_ file: PartialFile) throws -> Bool {
    guard let open = file.file else { return true }
    return try running.catchUp(open, to: file.length)
  }

  func finish() throws(DigestError) -> ExpectedDigest? {
    let value = try running.finish()
    return try? ExpectedDigest(expected.algorithm, value)
  }
}
