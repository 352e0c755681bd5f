/// A collection of registered entries, newest first.
///
/// No user code runs under its lock: lookups use a snapshot. Safe from any isolation.
///
/// ```swift
/// let token = registry.register(YAMLResponseSerializer())
/// let found = registry.first { $0.accepts(mediaType) }
/// registry.unregister(token)
/// ```
public final class Registry<Entry: Sendable>: Sendable {
  /// Identifies a registration.
  public struct Token: Sendable, Hashable {
    fileprivate let number: UInt64
  }

  private struct State {
    var entries: [(token: Token, entry: Entry)] = []
    var last: UInt64 = 0
  }

  private let state = Guarded(State())

  /// Creates an empty registry.
  public init() {}

  /// Adds an entry in front of all others.
  @discardableResult
  public func register(_ entry: Entry) -> Token {
    state.withLock { state in
      state.last += 1
      let token = Token(number: state.last)
      state.entries.insert((token, entry), at: 0)
      return token
    }
  }

  /// Removes an entry; does nothing if it is not registered.
  public func unregister(_ token: Token) {
    state.withLock { state in state.entries.removeAll { $0.token == token } }
  }

  /// All entries, newest first.
  public var entries: [Entry] { state.withLock { $0.entries.map(\.entry) } }

  /// Returns the newest entry that `predicate` accepts.
  public func first(where predicate: (Entry) throws -> Bool) rethrows -> Entry? {
    try entries.first(where: predicate)
  }
}
