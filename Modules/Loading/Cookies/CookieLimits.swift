/// How many cookies a jar keeps.
///
/// Past a limit go, in this order, cookies that are over, those that need no https, and those not used for longest. The
/// size of one cookie is limited to 4096 bytes of name and value, 1024 of an attribute (RFC 6265bis §5.6).
public struct CookieLimits: Sendable, Hashable {
  /// The most of one domain.
  public var perDomain: Int
  /// The most of all.
  public var total: Int

  /// Makes limits; those of RFC 6265 §6.1 unless told otherwise.
  public init(perDomain: Int = 50, total: Int = 3000) {
    self.perDomain = perDomain
    self.total = total
  }
}
