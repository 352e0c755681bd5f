public import FoundationEssentials
public import HTTPTypes

/// Transfers a response from its transport to the task that reads it.
///
/// A transport creates one channel per request. The transport's thread puts the head, the bytes and the end; the task that
/// sends waits for `response()`, whose body reads from the channel. When the reader is slow, `put` returns `.pause` and takes
/// no bytes until the channel calls `BodyProducer.resumeProducing()`. A reader that drains the body into a `BodySink` receives
/// the bytes on the producer's thread, without a copy.
///
/// ```swift
/// final class Download: BodyProducer {
///   let channel = BodyChannel(pausingFrom: 256 * 1024)
///
///   func response() async throws -> Response {
///     channel.connect(self)
///     connection.start(self)
///     return try await channel.response()
///   }
///
///   // Called by the connection's thread.
///   func received(_ bytes: UnsafeRawBufferPointer) {
///     switch channel.put(bytes) {
///     case .more: break
///     case .pause: connection.pause(andOfferAgain: bytes)
///     case .gone: connection.close()
///     }
///   }
///
///   func resumeProducing() { connection.resume() }
///   func stopProducing() { connection.close() }
/// }
/// ```
/// One thread at a time may put, and one task at a time may read. The channel keeps its producer alive until `finish`, and
/// never calls it while holding a lock.
public final class BodyChannel: Sendable {
  private struct State {
    var machine: BodyChannelMachine
    var producer: (any BodyProducer)?
    /// The sink of a reader that drains the body.
    var sink: (any BodySink)?
    /// The task that waits for news; at most one.
    var waiter: UnsafeContinuation<Void, Never>?
    var longestSinkCall = Duration.zero

    /// Releases the waiter, the producer and the sink.
    mutating func releaseAll() {
      waiter = nil
      producer = nil
      sink = nil
    }
  }

  /// The answer to a producer that puts bytes.
  public enum Demand: Sendable, Hashable {
    /// The bytes were taken; continue.
    case more
    /// No bytes were taken; offer them again after `BodyProducer.resumeProducing()`.
    case pause
    /// No more bytes are wanted; stop and call `finish`.
    case gone
  }

  private let state: Guarded<State>

  /// Creates a channel for a producer that can pause.
  ///
  /// - Parameter bytes: The number of waiting bytes from which `put` returns `.pause`, at least 1. The producer resumes when a
  ///   quarter of them is left.
  public init(pausingFrom bytes: Int) {
    state = Guarded(State(machine: BodyChannelMachine(.pausable(from: bytes))))
  }

  /// Creates a channel for a producer that cannot pause.
  ///
  /// - Parameter bytes: The most bytes that wait for the reader, 0 or more. For more, `put` returns `.pause`, and the producer
  ///   must end the body with `bufferLimitExceeded`.
  public init(holdingUpTo bytes: Int) {
    state = Guarded(State(machine: BodyChannelMachine(.bounded(by: bytes))))
  }

  /// Creates a channel whose response is complete.
  init(_ bytes: Data, trailers: HTTPFields?) {
    var machine = BodyChannelMachine(.bounded(by: bytes.count))
    _ = machine.put(bytes)
    machine.finish(nil, trailers: trailers, discards: false)
    state = Guarded(State(machine: machine))
  }

  // MARK: The side of the producer

  /// Sets the producer, which the channel keeps alive until `finish`.
  ///
  /// Call it once, before the first byte is put.
  public func connect(_ producer: any BodyProducer) { state.withLock { $0.producer = producer } }

  /// The final head; nil before it has arrived.
  public var head: ResponseHead? { state.withLock { $0.machine.head?.head } }

  /// Whether the reader cancelled.
  public var isCancelled: Bool { state.withLock { $0.machine.isCancelled } }

  /// Whether the reader is too slow for more bytes, so that no idle time counts.
  public var isFull: Bool { state.withLock { $0.machine.isFull } }

  /// The longest time that one call of the sink took on the producer's thread.
  public var longestSinkCall: Duration { state.withLock { $0.longestSinkCall } }

  /// Passes the final head to the waiting task; only the first one counts.
  public func respond(_ head: ResponseHead) {
    setHead(head)
    wakeReader()
  }

  /// Sets the final head without waking the reader; `flush` does that later.
  package func setHead(_ head: ResponseHead) { state.withLock { $0.machine.respond(head) } }

  /// Passes bytes to the reader; they need to be valid only during the call.
  @discardableResult
  public func put(_ bytes: UnsafeRawBufferPointer) -> Demand {
    let (demand, isBuffered) = putLater(bytes)
    if isBuffered { wakeReader() }
    return demand
  }

  /// Passes bytes to the reader.
  @discardableResult
  public func put(_ bytes: Data) -> Demand {
    let (answer, sink) = state.withLock { state in
      let answer = state.machine.put(bytes)
      return (answer, answer == .hand ? state.sink : nil)
    }
    if answer == .buffered { wakeReader() }
    return demand(answer, sink) { sink in bytes.withUnsafeBytes { hand($0, to: sink) } }
  }

  /// Passes bytes to the reader without waking it; `flush` does that later.
  ///
  /// - Returns: The demand, and whether the bytes were buffered, so that `flush` is needed.
  package func putLater(_ bytes: UnsafeRawBufferPointer) -> (demand: Demand, isBuffered: Bool) {
    let (answer, sink) = state.withLock { state in
      let answer = state.machine.put(bytes)
      return (answer, answer == .hand ? state.sink : nil)
    }
    return (demand(answer, sink) { hand(bytes, to: $0) }, answer == .buffered)
  }

  private func demand(
    _ answer: BodyChannelMachine.Answer, _ sink: (any BodySink)?, _ hand: (any BodySink) -> Bool
  ) -> Demand {
    switch answer {
    case .buffered: .more
    case .hand: sink.map(hand) == true ? .more : .gone
    case .full: .pause
    case .gone: .gone
    }
  }

  /// Passes bytes to the reader's sink, and measures the time that it takes.
  ///
  /// - Returns: Whether more bytes are wanted.
  private func hand(_ bytes: UnsafeRawBufferPointer, to sink: any BodySink) -> Bool {
    let start = ContinuousClock.now
    let result: Result<SinkDemand, any Error>
    do { result = .success(try sink.receive(bytes)) } catch { result = .failure(error) }
    let took = start.duration(to: .now)
    let (goesOn, waiter) = state.withLock { state in
      if took > state.longestSinkCall { state.longestSinkCall = took }
      let goesOn = state.machine.handed(result)
      if state.machine.hasEnded { state.sink = nil }
      // The reader's task must only act on a pause, or on an end that came during the call.
      guard state.machine.has(.drain) else { return (goesOn, UnsafeContinuation<Void, Never>?.none) }
      defer { state.waiter = nil }
      return (goesOn, state.waiter)
    }
    waiter?.resume()
    return goesOn
  }

  /// Wakes the reader if it waits.
  private func wakeReader() {
    let waiter = state.withLock { state in
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Wakes the reader if it waits.
  ///
  /// - Returns: `.pause` when the reader is too slow for more bytes; the producer should then pause before it offers any.
  package func flush() -> Demand {
    let (waiter, pauses) = state.withLock { state in
      defer { state.waiter = nil }
      return (state.waiter, state.machine.pausesProducer())
    }
    waiter?.resume()
    return pauses ? .pause : .more
  }

  /// Ends the body and releases the producer; only the first end counts.
  ///
  /// Call it exactly once for each connected channel, also after `BodyProducer.stopProducing()`.
  ///
  /// - Parameters:
  ///   - error: The error for the reader, after the buffered bytes; nil when the body is complete.
  ///   - trailers: The trailer fields of a complete body.
  ///   - discards: Whether to discard the buffered bytes.
  public func finish(_ error: (any Error)? = nil, trailers: HTTPFields? = nil, discardingBuffer discards: Bool = false)
  {
    let held = state.withLock { state in
      state.machine.finish(error, trailers: trailers, discards: discards)
      defer { state.releaseAll() }
      return (waiter: state.waiter, producer: state.producer, sink: state.sink)
    }
    // `held` is released here, outside the lock, because a release may run other code.
    held.waiter?.resume()
  }

  // MARK: The side of the task that sends

  /// Waits for the final head, and returns it with the body.
  ///
  /// - Throws: The error of the producer if it ended before the head; `CancellationError` when the task is cancelled, which
  ///   also stops the producer.
  nonisolated(nonsending) public func response() async throws -> Response {
    do {
      if let response = try arrived() { return response }
      return try await withTaskCancellationHandler {
        while true {
          if let response = try arrived() { return response }
          await wait(for: .head)
        }
      } onCancel: {
        cancel()
      }
    } catch {
      // No one will read the body.
      cancel()
      throw error
    }
  }

  /// Returns the response once its head has arrived.
  private func arrived() throws -> Response? {
    guard let head = try state.withLock({ state in try state.machine.takeHead() }) else { return nil }
    return Response(sharing: head, body: ResponseBody(self))
  }

  // MARK: The side of the reader

  /// The trailer fields of a complete body.
  var trailers: HTTPFields? { state.withLock { $0.machine.trailers } }

  /// Returns the next chunk; nil at the end.
  nonisolated(nonsending) func next() async throws -> Data? {
    // Bytes that have already arrived need neither a suspension nor a cancellation handler.
    if let chunk = try step() { return chunk.isEmpty ? nil : chunk }
    return try await withTaskCancellationHandler {
      while true {
        if let chunk = try step() { return chunk.isEmpty ? nil : chunk }
        await wait(for: .bytes)
      }
    } onCancel: {
      cancel()
    }
  }

  /// Returns a chunk, or empty data at the end; nil if nothing has arrived yet.
  private func step() throws -> Data? {
    let (reading, producer) = try state.withLock { state in
      let reading = try state.machine.read()
      return (reading, state.machine.resumesProducer() ? state.producer : nil)
    }
    producer?.resumeProducing()
    switch reading {
    case .chunk(let chunk): return chunk
    case .end: return Data()
    case .none: return nil
    }
  }

  /// Passes all bytes to a sink.
  ///
  /// Bytes that are still to arrive are passed on the producer's thread.
  nonisolated(nonsending) func drain(into sink: any BodySink) async throws {
    if Task.isCancelled { cancel() }
    do {
      // Bytes that have already arrived need neither a suspension nor a cancellation handler.
      let first = try handOver(to: sink)
      if first == .nothing { return }
      try await withTaskCancellationHandler {
        var awaited = first
        while true {
          switch awaited {
          case .sink: try await sink.ready()
          case .news: await wait(for: .drain)
          case .nothing: return
          }
          awaited = try handOver(to: sink)
        }
      } onCancel: {
        cancel()
      }
    } catch {
      cancel()
      throw error
    }
  }

  /// What a reader that drains has to wait for.
  private enum Awaited {
    /// The sink, because it asked for a pause.
    case sink
    /// The producer, which now uses the sink.
    case news
    /// Nothing, because the body has ended.
    case nothing
  }

  /// Passes the bytes that have arrived.
  private func handOver(to sink: any BodySink) throws -> Awaited {
    while true {
      let (step, producer) = try state.withLock { state in
        let step = try state.machine.drain()
        if case .wait = step { state.sink = sink }
        return (step, state.machine.resumesProducer() ? state.producer : nil)
      }
      producer?.resumeProducing()
      switch step {
      case .hand(let chunk):
        if try sink.receive(chunk: chunk) == .pause { return .sink }
      case .awaitSink: return .sink
      case .wait: return .news
      case .end: return .nothing
      }
    }
  }

  /// Cancels the transfer.
  ///
  /// The waiting task continues with `CancellationError`, and the producer is told to stop.
  func cancel() {
    let (waiter, producer) = state.withLock { state -> (UnsafeContinuation<Void, Never>?, (any BodyProducer)?) in
      let (isNew, stopsProducer) = state.machine.cancel()
      guard isNew else { return (nil, nil) }
      defer { state.waiter = nil }
      return (state.waiter, stopsProducer ? state.producer : nil)
    }
    producer?.stopProducing()
    waiter?.resume()
  }

  /// Waits until the reader is woken; returns at once if there is news already.
  nonisolated(nonsending) private func wait(for news: BodyChannelMachine.News) async {
    await withUnsafeContinuation { continuation in
      let isThere = state.withLock { state -> Bool in
        if state.machine.has(news) || state.waiter != nil { return true }
        state.waiter = continuation
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}

/// The transport's side of a `BodyChannel`, which fills it with one response.
///
/// The channel calls it from any thread, without holding a lock. Both methods must return without blocking.
public protocol BodyProducer: AnyObject, Sendable {
  /// Resumes producing, because the reader wants more bytes.
  ///
  /// It is called once after each `BodyChannel.Demand.pause`, unless the body has ended meanwhile.
  func resumeProducing()

  /// Stops producing, because the reader cancelled.
  ///
  /// It is called at most once, and not after `BodyChannel.finish`.
  func stopProducing()
}
