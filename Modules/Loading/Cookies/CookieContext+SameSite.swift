import CurlewCore

extension CookieContext {
  /// Returns whether a redirect by another site may have led here.
  ///
  /// http and https of one domain are one site.
  func isCrossSite(_ suffixes: any PublicSuffixes) -> Bool {
    guard !redirectedFrom.isEmpty, let origin = try? origin else { return false }
    return redirectedFrom.contains { !Self.isSameSite($0, origin, suffixes) }
  }

  /// Returns whether two hosts have the same registrable domain.
  private static func isSameSite(_ left: Origin, _ right: Origin, _ suffixes: any PublicSuffixes) -> Bool {
    guard left.host != right.host else { return true }
    guard !left.isIPAddress, !right.isIPAddress, let site = suffixes.registrableDomain(of: left.host) else {
      return false
    }
    return site == suffixes.registrableDomain(of: right.host)
  }
}
