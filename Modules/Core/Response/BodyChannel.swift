public import FoundationEssentials
public import HTTPTypes

/// Passes a response from the transport that receives it to the task that reads it.
///
/// A transport makes one for each request. Its thread puts the head, the bytes and the end; the sending task waits for
/// `response()`, whose body reads from the channel. When the reader is slow, `put` answers `.pause` and takes nothing,
/// until the channel calls `BodyProducer.resumeProducing()`. A reader that drains the body into a `BodySink` gets its
/// bytes on the producer's thread, without a copy.
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
/// One thread at a time puts, and one task at a time reads. The channel holds its producer until `finish` is called, and
/// calls it without holding a lock.
public final class BodyChannel: Sendable {
  private struct State {
    var machine: BodyChannelMachine
    var producer: (any BodyProducer)?
    /// The sink of a reader that drains.
    var sink: (any BodySink)?
    /// Who waits for news; at most one.
    var waiter: UnsafeContinuation<Void, Never>?
    var longestSinkCall = Duration.zero

    /// Holds nobody any more.
    mutating func letGo() {
      waiter = nil
      producer = nil
      sink = nil
    }
  }

  /// What a producer does after `put`.
  public enum Demand: Sendable, Hashable {
    /// The bytes are taken; go on.
    case more
    /// None of the bytes are taken; offer them again after `BodyProducer.resumeProducing()`.
    case pause
    /// None of the bytes are wanted, nor later ones: stop, and call `finish`.
    case gone
  }

  private let state: Guarded<State>

  /// Creates a channel for a producer that can pause.
  ///
  /// - Parameter bytes: How many bytes wait for the reader before `put` answers `.pause`, 1 or more. The producer resumes
  ///   when a quarter of them is left.
  public init(pausingFrom bytes: Int) {
    state = Guarded(State(machine: BodyChannelMachine(.pausable(from: bytes))))
  }

  /// Creates a channel for a producer that cannot pause.
  ///
  /// - Parameter bytes: How many bytes wait for the reader at most, 0 or more. For more than that `put` answers `.pause`,
  ///   and the producer has to end the body with `bufferLimitExceeded`.
  public init(holdingUpTo bytes: Int) {
    state = Guarded(State(machine: BodyChannelMachine(.bounded(by: bytes))))
  }

  /// Creates a channel that has ended well.
  init(_ bytes: Data, trailers: HTTPFields?) {
    var machine = BodyChannelMachine(.bounded(by: bytes.count))
    _ = machine.put(bytes)
    machine.finish(nil, trailers: trailers, discards: false)
    state = Guarded(State(machine: machine))
  }

  // MARK: The producer's side

  /// Sets the producer, which is held until `finish`; call it once, before the first byte is put.
  public func connect(_ producer: any BodyProducer) { state.withLock { $0.producer = producer } }

  /// The head; nil before it came.
  public var head: ResponseHead? { state.withLock { $0.machine.head } }

  /// Whether the reader gave up.
  public var isCancelled: Bool { state.withLock { $0.machine.isCancelled } }

  /// Whether the reader is too slow for another byte at the moment, so that the time does not count as idle.
  public var isFull: Bool { state.withLock { $0.machine.isFull } }

  /// The longest time that a sink held the producer's thread.
  public var longestSinkCall: Duration { state.withLock { $0.longestSinkCall } }

  /// Hands the final head to the waiting task; only the first one counts.
  public func respond(_ head: ResponseHead) {
    setHead(head)
    wakeReader()
  }

  /// Sets the final head, for a producer that wakes the reader later.
  package func setHead(_ head: ResponseHead) { state.withLock { $0.machine.respond(head) } }

  /// Hands bytes to the reader; they are valid during the call only.
  @discardableResult
  public func put(_ bytes: UnsafeRawBufferPointer) -> Demand {
    let (demand, isBuffered) = putLater(bytes)
    if isBuffered { wakeReader() }
    return demand
  }

  /// Hands bytes to the reader.
  @discardableResult
  public func put(_ bytes: Data) -> Demand {
    let (answer, sink) = state.withLock { state in
      let answer = state.machine.put(bytes)
      return (answer, answer == .hand ? state.sink : nil)
    }
    if answer == .buffered { wakeReader() }
    return demand(answer, sink) { sink in bytes.withUnsafeBytes { hand($0, to: sink) } }
  }

  /// Hands bytes over, for a producer that wakes the reader by `flush` when they are buffered.
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

  /// Gives bytes to the reader's sink and measures how long that held the thread.
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
      // Only a pause is news to the reader's task, and an end that it was not told of during the call.
      guard state.machine.has(.drain) else { return (goesOn, UnsafeContinuation<Void, Never>?.none) }
      defer { state.waiter = nil }
      return (goesOn, state.waiter)
    }
    waiter?.resume()
    return goesOn
  }

  /// Wakes the reader, if it waits.
  private func wakeReader() {
    let waiter = state.withLock { state in
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Wakes the reader, if it waits.
  ///
  /// - Returns: `.pause` when the reader is too slow for another byte, so that the producer pauses before it offers one.
  package func flush() -> Demand {
    let (waiter, pauses) = state.withLock { state in
      defer { state.waiter = nil }
      return (state.waiter, state.machine.pausesProducer())
    }
    waiter?.resume()
    return pauses ? .pause : .more
  }

  /// Ends the body, and lets go of the producer; only the first end counts.
  ///
  /// Call it exactly once for each channel that was connected, also after `BodyProducer.stopProducing()`.
  ///
  /// - Parameters:
  ///   - error: What the reader gets behind the bytes that wait for it; nil when the body is complete.
  ///   - trailers: The trailer fields of a complete body.
  ///   - discards: Whether the reader does not get the bytes that wait for it.
  public func finish(_ error: (any Error)? = nil, trailers: HTTPFields? = nil, discardingBuffer discards: Bool = false)
  {
    let held = state.withLock { state in
      state.machine.finish(error, trailers: trailers, discards: discards)
      defer { state.letGo() }
      return (waiter: state.waiter, producer: state.producer, sink: state.sink)
    }
    // What it held is released here, outside the lock.
    held.waiter?.resume()
  }

  // MARK: The sending task's side

  /// Waits for the final head, and returns it with the body behind it.
  ///
  /// - Throws: What the producer finished with before a head came; `CancellationError` when the task is cancelled, which
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
      // Nobody will read the body.
      cancel()
      throw error
    }
  }

  /// The response once its head is there; out of line, or heads lie in the frame that waits.
  @inline(never) private func arrived() throws -> Response? {
    guard let head = try state.withLock({ state in try state.machine.takeHead() }) else { return nil }
    return Response(head: head, body: ResponseBody(self))
  }

  // MARK: The reader's side

  /// The trailer fields of a body that ended well.
  var trailers: HTTPFields? { state.withLock { $0.machine.trailers } }

  /// The next chunk; nil at the end.
  nonisolated(nonsending) func next() async throws -> Data? {
    // What is there already costs no suspension and no handler.
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

  /// One look: bytes, empty bytes for the end, nil for nothing yet.
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

  /// Hands all bytes to a sink, those that are still to come on the producer's thread.
  func drain(into sink: any BodySink) async throws {
    try await withTaskCancellationHandler {
      do {
        try await handOver(to: sink)
      } catch {
        cancel()
        throw error
      }
    } onCancel: {
      cancel()
    }
  }

  private func handOver(to sink: any BodySink) async throws {
    while true {
      let (step, producer) = try state.withLock { state in
        let step = try state.machine.drain()
        if case .wait = step { state.sink = sink }
        return (step, state.machine.resumesProducer() ? state.producer : nil)
      }
      producer?.resumeProducing()
      switch step {
      case .hand(let chunk):
        if try chunk.withUnsafeBytes({ try sink.receive($0) }) == .pause { try await sink.ready() }
      case .awaitSink: try await sink.ready()
      case .wait: await wait(for: .drain)
      case .end: return
      }
    }
  }

  /// Gives up: the waiting task goes on at once with `CancellationError`, and the producer is told to stop.
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

  /// Waits until somebody wakes the reader; returns at once where there is news already.
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
