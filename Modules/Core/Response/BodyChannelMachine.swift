package import FoundationEssentials
import HTTPTypes

/// The state machine that decides who gets the bytes of a response, and when.
///
/// The producer puts a head, bytes and an end. The reader takes the head, and then either pulls chunks or drains the body into
/// a sink. While it drains, its own task passes the buffered bytes to the sink. Once the buffer is empty, the producer borrows
/// the sink and passes its bytes without a copy. If the body ends during a call of the sink, the reader learns it only after
/// the call has returned. `BodyChannel` carries out these decisions.
struct BodyChannelMachine {
  /// The ability of a producer to wait for a slow reader.
  enum Pressure: Sendable, Hashable {
    /// It pauses at this many buffered bytes, and resumes when a quarter is left.
    case pausable(from: Int)
    /// It cannot pause; at most this many bytes are buffered.
    case bounded(by: Int)
  }

  /// The user of the sink while a reader drains.
  private enum Sink {
    /// None: the reader pulls chunks, or has not started.
    case none
    /// The reader's task, which passes the buffered bytes.
    case reader
    /// The producer, which passes its bytes directly.
    case producer
    /// The producer, during a call of the sink.
    case handing
    /// None, because the sink asked for a pause; the reader's task waits for it.
    case paused
    /// None, because the sink threw while the producer used it.
    case failed(any Error)
  }

  /// The outcome of the body.
  private enum Ending {
    case complete(HTTPFields?)
    case failed(any Error)
    case cancelled
  }

  private let pressure: Pressure
  /// The final head, in the form that the response shares, so that passing it on copies one reference.
  private(set) var head: Response.Storage?
  private var buffer = BodyBuffer()
  private var sink = Sink.none
  private var ending: Ending?
  /// Whether the reader has received the end, after which it cannot cancel.
  private var wasEndSeen = false
  /// Whether the producer was asked to pause and not yet to resume.
  private(set) var isProducerPaused = false

  init(_ pressure: Pressure) {
    self.pressure =
      switch pressure {
      case .pausable(let bytes): .pausable(from: max(1, bytes))
      case .bounded(let bytes): .bounded(by: max(0, bytes))
      }
  }

  /// The number of bytes that wait for the reader.
  var buffered: Int { buffer.count }

  /// Whether the reader cancelled.
  var isCancelled: Bool { if case .cancelled? = ending { true } else { false } }

  /// Whether the producer ended the body or the reader cancelled.
  var hasEnded: Bool { ending != nil }

  /// Whether the reader is too slow for one more byte.
  var isFull: Bool { ending == nil && isRefusing(1) }

  /// The trailer fields of a complete body.
  var trailers: HTTPFields? { if case .complete(let trailers)? = ending { trailers } else { nil } }

  // MARK: The side of the producer

  /// Sets the final head; only the first one before the end counts.
  mutating func respond(_ head: ResponseHead) {
    if ending == nil, self.head == nil { self.head = Response.Storage(head) }
  }

  /// The result of offering bytes.
  enum Answer: Sendable, Hashable {
    /// The bytes were buffered.
    case buffered
    /// The producer passes the bytes to the sink and reports the result with `handed`.
    case hand
    /// The bytes were not taken.
    case full
    /// The bytes were not taken, and no more are wanted.
    case gone
  }

  /// Offers bytes.
  mutating func put(_ bytes: UnsafeRawBufferPointer) -> Answer {
    let answer = admit(bytes.count)
    if answer == .buffered { buffer.append(bytes) }
    return answer
  }

  /// Offers bytes that can be buffered without a copy.
  mutating func put(_ bytes: Data) -> Answer {
    let answer = admit(bytes.count)
    if answer == .buffered { buffer.append(bytes) }
    return answer
  }

  private mutating func admit(_ count: Int) -> Answer {
    guard ending == nil else { return .gone }
    switch sink {
    case .producer:
      sink = .handing
      return .hand
    case .failed: return .gone
    case .none, .reader, .paused, .handing:
      guard isRefusing(count) else { return .buffered }
      isProducerPaused = true
      return .full
    }
  }

  /// Returns whether the producer should pause now, and records that it does.
  mutating func pausesProducer() -> Bool {
    guard case .pausable = pressure, isFull else { return false }
    isProducerPaused = true
    return true
  }

  private func isRefusing(_ count: Int) -> Bool {
    switch (pressure, sink) {
    case (.bounded(let most), _): count > most - buffer.count
    case (.pausable(let high), .none): buffer.count >= high
    // The pause lets the reader's task empty the buffer. The producer can then borrow the sink, and all later bytes need no
    // copy.
    case (.pausable, .reader), (.pausable, .paused): true
    case (.pausable, .producer), (.pausable, .handing), (.pausable, .failed): false
    }
  }

  /// Records that the producer passed bytes to the sink, with its answer or error.
  ///
  /// - Returns: Whether more bytes are wanted.
  mutating func handed(_ result: Result<SinkDemand, any Error>) -> Bool {
    guard case .handing = sink else { return false }
    guard ending == nil else {
      sink = .none
      return false
    }
    switch result {
    case .success(.more):
      sink = .producer
      return true
    case .success(.pause):
      sink = .paused
      return true
    case .failure(let error):
      sink = .failed(error)
      return false
    }
  }

  /// Ends the body; only the first end counts, and an earlier error of the sink wins.
  ///
  /// - Parameter discards: Whether to discard the buffered bytes.
  mutating func finish(_ error: (any Error)?, trailers: HTTPFields?, discards: Bool) {
    guard ending == nil else { return }
    if case .failed(let error) = sink {
      ending = .failed(error)
    } else {
      ending = error.map { .failed($0) } ?? .complete(trailers)
    }
    if discards { buffer = BodyBuffer() }
  }

  // MARK: The side of the reader

  /// The event that a reader waits for.
  enum News {
    case head
    case bytes
    /// An event on which the task of a reader that drains must act.
    case drain
  }

  /// Whether the event has occurred, so that the reader need not wait.
  func has(_ news: News) -> Bool {
    switch (news, sink) {
    case (.drain, .handing): false
    case (.drain, .paused): true
    case (.head, _): ending != nil || head != nil
    case (.bytes, _), (.drain, _): ending != nil || buffer.count > 0
    }
  }

  /// Returns the final head; nil before it has arrived.
  ///
  /// - Throws: The error that ended the body before its head.
  mutating func takeHead() throws -> Response.Storage? {
    if isCancelled { throw CancellationError() }
    if let head { return head }
    guard let ending else { return nil }
    wasEndSeen = true
    if case .failed(let error) = ending { throw error }
    throw NetworkError(.internal, stage: .awaitingHead, message: "The transfer ended without a head.")
  }

  /// The result for a reader that pulls.
  enum Reading {
    case chunk(Data)
    case end
    /// Nothing has arrived yet.
    case none
  }

  /// Takes the next chunk.
  ///
  /// - Throws: The error that ended the body.
  mutating func read() throws -> Reading {
    if isCancelled { throw CancellationError() }
    if let chunk = buffer.popFirst() { return .chunk(chunk) }
    return try isOver() ? .end : .none
  }

  /// The next step for the task of a reader that drains.
  enum DrainStep {
    /// Pass a chunk to the sink.
    case hand(Data)
    /// Wait until the sink is ready again.
    case awaitSink
    /// Wait for news, while the producer uses the sink.
    case wait
    case end
  }

  /// Returns the next step of draining.
  ///
  /// - Throws: The error that ended the body, or that the sink threw to the producer.
  mutating func drain() throws -> DrainStep {
    // The end is not reported during a call of the sink.
    if case .handing = sink { return .wait }
    if isCancelled { throw CancellationError() }
    switch sink {
    case .paused:
      sink = .reader
      return .awaitSink
    // The producer is about to end the body.
    case .failed where ending == nil: return .wait
    case .none, .reader, .producer, .handing, .failed: break
    }
    if let chunk = buffer.popFirst() {
      sink = .reader
      return .hand(chunk)
    }
    if try isOver() { return .end }
    sink = .producer
    return .wait
  }

  private mutating func isOver() throws -> Bool {
    guard let ending else { return false }
    wasEndSeen = true
    if case .failed(let error) = ending { throw error }
    return true
  }

  /// Returns whether the producer must be told to resume; true once per pause.
  mutating func resumesProducer() -> Bool {
    guard isProducerPaused, ending == nil else { return false }
    switch (pressure, sink) {
    case (.bounded, _), (_, .paused), (_, .failed), (_, .reader): return false
    case (.pausable(let high), .none): guard buffer.count <= high / 4 else { return false }
    case (.pausable, .producer), (.pausable, .handing): break
    }
    isProducerPaused = false
    return true
  }

  /// Cancels the body.
  ///
  /// - Returns: Whether the reader must be woken, and whether the producer must be stopped.
  mutating func cancel() -> (isNew: Bool, stopsProducer: Bool) {
    guard !wasEndSeen, !isCancelled else { return (false, false) }
    defer {
      ending = .cancelled
      buffer = BodyBuffer()
    }
    return (true, ending == nil)
  }
}

/// A queue of a body's bytes that wait for their reader.
///
/// Small pieces are joined, so that the list stays short; the usual body, a single piece, needs no list.
package struct BodyBuffer: Sendable {
  /// Pieces are joined up to this size, in bytes.
  private static let joined = 16_384
  private var first: Data?
  private var rest: [Data] = []
  /// The start of the remaining bytes; those before were taken.
  private var begin = 0
  /// The number of waiting bytes.
  package private(set) var count = 0

  package init() {}

  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
    if !join(bytes.count, { $0.append(contentsOf: bytes) }) { add(Data(bytes: base, count: bytes.count)) }
    count += bytes.count
  }

  package mutating func append(_ bytes: Data) {
    guard !bytes.isEmpty else { return }
    if !join(bytes.count, { $0.append(bytes) }) { add(bytes) }
    count += bytes.count
  }

  /// Removes and returns the next piece, which is never empty; nil when none waits.
  package mutating func popFirst() -> Data? {
    guard let piece = first else { return nil }
    count -= piece.count
    if begin < rest.count {
      first = rest[begin]
      rest[begin] = Data()
      begin += 1
      if begin == rest.count { forgetTaken() }
    } else {
      first = nil
    }
    return piece
  }

  private mutating func add(_ piece: Data) {
    if first == nil { first = piece } else { rest.append(piece) }
  }

  /// Extends the last piece if it stays small enough; returns false otherwise.
  private mutating func join(_ more: Int, _ lengthen: (inout Data) -> Void) -> Bool {
    if let last = rest.indices.last {
      guard rest[last].count + more <= Self.joined else { return false }
      lengthen(&rest[last])
    } else {
      guard let piece = first, piece.count + more <= Self.joined else { return false }
      first = nil
      var longer = piece
      lengthen(&longer)
      first = longer
    }
    return true
  }

  private mutating func forgetTaken() {
    rest.removeAll(keepingCapacity: true)
    begin = 0
  }
}
