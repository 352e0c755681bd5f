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
