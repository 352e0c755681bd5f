/// The limits of a cookie jar.
///
/// When a limit is exceeded, expired cookies are removed first, then those that do not require https, then the least
/// recently used ones. Independently, the name and value of a cookie may have 4096 bytes together, and an attribute
/// 1024 (RFC 6265bis §5.6).
public struct CookieLimits: Sendable, Hashable {
  /// The most cookies of one domain.
  public var perDomain: Int
  /// The most cookies in total.
  public var total: Int

  /// Creates limits; by default those of RFC 6265 §6.1.
  public init(perDomain: Int = 50, total: Int = 3000) {
    self.perDomain = perDomain
    self.total = total
  }
}
