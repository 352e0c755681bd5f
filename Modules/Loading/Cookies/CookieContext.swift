public import CurlewCore
public import FoundationEssentials
public import HTTPTypes

/// The request that cookies are sent with, or whose response sets them.
public struct CookieContext: Sendable {
  private var request: Request
  /// The wall clock's time, which decides about expiry.
  public var date: Date
  /// The origins whose redirects led here, in order; empty for the app's own request.
  public var redirectedFrom: [Origin]

  /// Creates a context.
  public init(url: URL, method: HTTPRequest.Method = .get, date: Date, redirectedFrom: [Origin] = []) {
    request = Request(method, url)
    self.date = date
    self.redirectedFrom = redirectedFrom
  }

  /// Creates the context of a request in an exchange.
  init(_ request: Request, in exchange: Exchange) {
    self.request = request
    date = exchange.settings.clock.date
    redirectedFrom = exchange.hop == 0 ? [] : exchange[RedirectTrail.self] ?? []
  }

  /// The URL of the request.
  public var url: URL {
    get { request.url }
    set { request.url = newValue }
  }

  /// The method of the request.
  public var method: HTTPRequest.Method {
    get { request.method }
    set { request.method = newValue }
  }

  /// The origin of the request.
  var origin: Origin { get throws(InvalidOriginError) { try request.origin } }

  /// The path as it is sent, without the query; `/` when it is empty.
  var path: String {
    guard let target = request.parsedURL.target else { return "/" }
    return String(Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") }))
  }
}

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
