public import FoundationEssentials

/// A bearer token (RFC 6750) and when it ends.
///
/// Descriptions and dumps show when it ends and nothing else.
public struct BearerToken: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  /// What is sent. It is a secret.
  public var value: String
  /// From when on it is not worth sending; nil when that is not known.
  public var expires: Date?

  /// Makes a token.
  public init(_ value: String, expires: Date? = nil) {
    self.value = value
    self.expires = expires
  }

  /// The end, without the token.
  public var description: String { expires.map { "bearer token until \($0.timeIntervalSince1970)" } ?? "bearer token" }

  /// The same as `description`.
  public var debugDescription: String { description }

  /// The end, without the token.
  public var customMirror: Mirror { Mirror(self, children: ["expires": expires as Any]) }
}

/// How often a token may be renewed.
///
/// It keeps a server that refuses every token from being asked for ever.
public struct RefreshWindow: Sendable, Hashable {
  /// The most refreshes in an interval, at least 1.
  public var limit: Int
  /// The interval.
  public var interval: Duration

  /// Makes a window.
  public init(limit: Int = 5, interval: Duration = .seconds(30)) {
    self.limit = limit
    self.interval = interval
  }
}
