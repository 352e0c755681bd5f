public import FoundationEssentials

/// A bearer token (RFC 6750) and the time when it expires.
///
/// Descriptions and dumps show the expiry only, never the token.
public struct BearerToken: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  /// The token that is sent; a secret.
  public var value: String
  /// The time when the token expires; nil when it is not known.
  public var expires: Date?

  /// Creates a token.
  public init(_ value: String, expires: Date? = nil) {
    self.value = value
    self.expires = expires
  }

  /// The expiry, without the token.
  public var description: String { expires.map { "bearer token until \($0.timeIntervalSince1970)" } ?? "bearer token" }

  /// The same as `description`.
  public var debugDescription: String { description }

  /// The expiry, without the token.
  public var customMirror: Mirror { Mirror(self, children: ["expires": expires as Any]) }
}

/// The number of times that a token may be renewed within an interval.
///
/// The limit ends the loop with a server that refuses every token.
public struct RefreshWindow: Sendable, Hashable {
  /// The number of refreshes in one interval; at least 1.
  public var limit: Int
  /// The length of the interval.
  public var interval: Duration

  /// Creates a window.
  public init(limit: Int = 5, interval: Duration = .seconds(30)) {
    self.limit = limit
    self.interval = interval
  }
}
