/// Stores a path and delivers its changes to any number of readers.
///
/// Every monitor needs this part: it removes repeats, keeps the order, and bounds the memory for each reader.
///
/// ```swift
/// final class MyMonitor: ReachabilityMonitoring {
///   private let feed = NetworkPathFeed()
///   var path: NetworkPath { feed.path }
///   func changes() -> NetworkPathChanges { feed.changes() }
///   func networkIsGone() { feed.send(.notReachable) }
/// }
/// ```
public final class NetworkPathFeed: Sendable {
  private typealias Reader = (stream: AsyncStream<NetworkPath>.Continuation, tally: NetworkPathChanges.Tally)

  private struct State {
    var path: NetworkPath
    var readers: [UInt64: Reader] = [:]
    var last: UInt64 = 0
    var deliveries = WorkQueue<(readers: [Reader], path: NetworkPath)>()
    var isFinished = false
    /// The newest term in which a path was sent, and the newest that has ended.
    var term: UInt64 = 0
    var ended: UInt64 = 0

    /// Sets the path; returns whether the caller is to call `handOver`.
    mutating func set(_ path: NetworkPath) -> Bool {
      guard path != self.path, !isFinished else { return false }
      self.path = path
      return add(Array(readers.values))
    }

    /// Adds a delivery; returns whether the caller is to call `handOver`.
    mutating func add(_ readers: [Reader]) -> Bool {
      deliveries.add((readers, path))
      return deliveries.begin()
    }
  }

  private let state: Guarded<State>

  /// Creates a feed.
  public init(_ path: NetworkPath = .unknown) { state = Guarded(State(path: path)) }

  deinit { finish() }

  /// The last path that was sent.
  public var path: NetworkPath { state.withLock { $0.path } }

  /// The number of readers.
  package var readerCount: Int { state.withLock { $0.readers.count } }

  /// Sets the path and delivers it to the readers, unless it is unchanged.
  public func send(_ path: NetworkPath) {
    if state.withLock({ $0.set(path) }) { handOver() }
  }

  /// Sends a path, unless its term has ended or a later term has sent a path.
  ///
  /// A term is the time between one start and stop of a monitor; later terms have higher numbers.
  package func send(_ path: NetworkPath, in term: UInt64) {
    let isMine = state.withLock { state in
      guard term > state.ended, term >= state.term else { return false }
      state.term = term
      return state.set(path)
    }
    if isMine { handOver() }
  }

  /// Ends a term.
  ///
  /// Paths sent in it later are dropped, and the path is `.unknown` unless a later term has set one.
  package func end(_ term: UInt64) {
    let isMine = state.withLock { state in
      state.ended = max(state.ended, term)
      return state.term <= term && state.set(.unknown)
    }
    if isMine { handOver() }
  }

  /// Ends all sequences; nothing is sent afterwards.
  public func finish() {
    let readers = state.withLock { state in
      state.isFinished = true
      defer { state.readers = [:] }
      return Array(state.readers.values)
    }
    for reader in readers { reader.stream.finish() }
  }

  /// Returns the current path and all changes.
  public func changes() -> NetworkPathChanges {
    let tally = NetworkPathChanges.Tally()
    let (stream, continuation) = AsyncStream.makeStream(
      of: NetworkPath.self, bufferingPolicy: .bufferingNewest(NetworkPathChanges.limit))
    let (id, isMine) = state.withLock { state -> (UInt64?, Bool) in
      guard !state.isFinished else { return (nil, false) }
      state.last += 1
      state.readers[state.last] = (continuation, tally)
      return (state.last, state.add([(continuation, tally)]))
    }
    guard let id else {
      continuation.yield(path)
      continuation.finish()
      return NetworkPathChanges(stream, tally)
    }
    continuation.onTermination = { [weak self] _ in self?.state.withLock { _ = $0.readers.removeValue(forKey: id) } }
    if isMine { handOver() }
    return NetworkPathChanges(stream, tally)
  }

  /// Delivers all waiting paths to their readers.
  ///
  /// Only one caller at a time delivers, so that all readers see the same order.
  private func handOver() {
    while let next = state.withLock({ $0.deliveries.next() }) {
      for reader in next.readers {
        if case .dropped = reader.stream.yield(next.path) { reader.tally.count.withLock { $0 += 1 } }
      }
    }
  }
}

/// The current path and all changes, in order and without repeats.
///
/// It is for one reader; ask the monitor again for a second reader. It starts when `changes()` is called, keeps the
/// newest 64 paths for a slow reader, and ends with the monitor or when the reading task is cancelled.
public struct NetworkPathChanges: AsyncSequence, Sendable {
  /// A path.
  public typealias Element = NetworkPath
  /// The sequence never fails.
  public typealias Failure = Never

  /// The number of paths that are kept for a reader.
  public static let limit = 64

  private let stream: AsyncStream<NetworkPath>
  private let tally: Tally

  init(_ stream: AsyncStream<NetworkPath>, _ tally: Tally) {
    self.stream = stream
    self.tally = tally
  }

  /// How many paths this reader has missed because it was too slow.
  public var leftOut: Int { tally.count.withLock { $0 } }

  /// Starts reading.
  public func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator()) }

  /// Reads one path after the other.
  public struct Iterator: AsyncIteratorProtocol {
    var base: AsyncStream<NetworkPath>.Iterator

    /// Returns the next path; waits for it. Nil at the end.
    public mutating func next() async -> NetworkPath? { await base.next() }

    /// Returns the next path; waits for it on the caller's isolation. Nil at the end.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> NetworkPath? {
      await base.next(isolation: actor)
    }
  }

  /// Counts the paths that a reader has missed.
  final class Tally: Sendable {
    let count = Guarded(0)
  }
}
