import FoundationEssentials
import HTTPTypes

/// Decides what happens to a response's bytes between their producer and their reader. Pure.
///
/// The producer puts a head, bytes and an end. The reader takes the head, and then either pulls chunks or drains the
/// body into a sink. While it drains, its own task hands over what is buffered; once nothing is, the sink is lent to the
/// producer, which hands its bytes over without a copy. However the body ends meanwhile, the reader is told so only once
/// the producer is through with the sink. `BodyChannel` carries out what is decided here.
struct BodyChannelMachine {
  /// What a producer can do when the reader is slow.
  enum Pressure: Sendable, Hashable {
    /// It can pause: it is asked to from so many buffered bytes on, and to resume when a quarter of them is left.
    case pausable(from: Int)
    /// It cannot pause: so many bytes are buffered at most.
    case bounded(by: Int)
  }

  /// Who has the sink of a reader that drains.
  private enum Sink {
    /// Nobody: the reader pulls chunks, or has not begun.
    case none
    /// The reader's task, which hands buffered bytes over.
    case reader
    /// The producer, which hands its bytes over directly.
    case producer
    /// The producer, which is handing bytes over at this moment.
    case handing
    /// The reader's task has to wait for it, since it asked the producer for a pause.
    case paused
    /// Nobody any more: it threw while the producer had it.
    case failed(any Error)
  }

  /// How the body ended.
  private enum Ending {
    case complete(HTTPFields?)
    case failed(any Error)
    case cancelled
  }

  private let pressure: Pressure
  private(set) var head: ResponseHead?
  private var buffer = BodyBuffer()
  private var sink = Sink.none
  private var ending: Ending?
  /// Whether the reader was given the end, after which it can cancel nothing.
  private var wasEndSeen = false
  /// Whether the producer was asked to pause, and not to resume yet.
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

  /// Whether the reader gave up.
  var isCancelled: Bool { if case .cancelled? = ending { true } else { false } }

  /// Whether the producer has ended it or the reader has given up.
  var hasEnded: Bool { ending != nil }

  /// Whether the reader is too slow for the next byte to be taken.
  var isFull: Bool { ending == nil && isRefusing(1) }

  /// The trailer fields of a body that ended well.
  var trailers: HTTPFields? { if case .complete(let trailers)? = ending { trailers } else { nil } }

  // MARK: The producer's side

  /// Sets the final head; the first one counts, and none after the end.
  mutating func respond(_ head: ResponseHead) {
    if ending == nil { self.head = self.head ?? head }
  }

  /// What becomes of bytes.
  enum Answer: Sendable, Hashable {
    /// They are buffered.
    case buffered
    /// The producer is to hand them to the sink, and to say how that went by `handed`.
    case hand
    /// They are not taken.
    case full
    /// They are not taken, and no others are wanted.
    case gone
  }

  /// Offers bytes.
  mutating func put(_ bytes: UnsafeRawBufferPointer) -> Answer {
    let answer = admit(bytes.count)
    if answer == .buffered { buffer.append(bytes) }
    return answer
  }

  /// Offers bytes that need no copy to be buffered.
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

  /// Whether the producer is asked to pause before it offers more, as it is from now on where it can.
  mutating func pausesProducer() -> Bool {
    guard case .pausable = pressure, isFull else { return false }
    isProducerPaused = true
    return true
  }

  private func isRefusing(_ count: Int) -> Bool {
    switch (pressure, sink) {
    case (.bounded(let most), _): count > most - buffer.count
    case (.pausable(let high), .none): buffer.count >= high
    // A pause until the sink has taken what is buffered lets it be lent, and spares all later bytes the copy.
    case (.pausable, .reader), (.pausable, .paused): true
    case (.pausable, .producer), (.pausable, .handing), (.pausable, .failed): false
    }
  }

  /// The producer handed bytes to the sink, which answered or threw.
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

  /// Ends the body; the first end counts, and before it what the sink threw.
  ///
  /// - Parameter discards: Whether the reader does not get what is buffered.
  mutating func finish(_ error: (any Error)?, trailers: HTTPFields?, discards: Bool) {
    guard ending == nil else { return }
    if case .failed(let error) = sink {
      ending = .failed(error)
    } else {
      ending = error.map { .failed($0) } ?? .complete(trailers)
    }
    if discards { buffer = BodyBuffer() }
  }

  // MARK: The reader's side

  /// What a reader waits for.
  enum News {
    case head
    case bytes
    /// What the task of a reader that drains has to act on.
    case drain
  }

  /// Whether a reader need not wait.
  func has(_ news: News) -> Bool {
    switch (news, sink) {
    case (.drain, .handing): false
    case (.drain, .paused): true
    case (.head, _): ending != nil || head != nil
    case (.bytes, _), (.drain, _): ending != nil || buffer.count > 0
    }
  }

  /// The final head; nil when it has not come.
  ///
  /// - Throws: What ended the body before a head came.
  mutating func takeHead() throws -> ResponseHead? {
    if isCancelled { throw CancellationError() }
    if let head { return head }
    guard let ending else { return nil }
    wasEndSeen = true
    if case .failed(let error) = ending { throw error }
    throw NetworkError(.internal, stage: .awaitingHead, message: "The transfer ended without a head.")
  }

  /// What a reader that pulls gets.
  enum Reading {
    case chunk(Data)
    case end
    /// Nothing yet.
    case none
  }

  /// Takes the next chunk.
  ///
  /// - Throws: What ended the body.
  mutating func read() throws -> Reading {
    if isCancelled { throw CancellationError() }
    if let chunk = buffer.popFirst() { return .chunk(chunk) }
    return try isOver() ? .end : .none
  }

  /// What the task of a reader that drains does next.
  enum DrainStep {
    /// Hands a chunk to the sink.
    case hand(Data)
    /// Waits until the sink is ready again.
    case awaitSink
    /// Waits for news; the producer has the sink.
    case wait
    case end
  }

  /// Goes on draining.
  ///
  /// - Throws: What ended the body, or what the sink threw at the producer.
  mutating func drain() throws -> DrainStep {
    // Nobody is told of an end while the sink is at work.
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

  /// Whether the producer has to be told that it can resume; true once after each pause.
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

  /// Gives up.
  ///
  /// - Returns: Whether this is news to the reader, and whether it is to the producer.
  mutating func cancel() -> (isNew: Bool, stopsProducer: Bool) {
    guard !wasEndSeen, !isCancelled else { return (false, false) }
    defer {
      ending = .cancelled
      buffer = BodyBuffer()
    }
    return (true, ending == nil)
  }
}
