public import CurlewCore
public import FoundationEssentials
public import HTTPTypes

/// The request that cookies are sent with, or whose response sets them.
public struct CookieContext: Sendable {
  private var request: Request
  /// The wall clock's time, by which cookies end.
  public var date: Date
  /// The origins whose redirects led here, in order; empty for a request that the app made.
  public var redirectedFrom: [Origin]

  /// Makes a context.
  public init(url: URL, method: HTTPRequest.Method = .get, date: Date, redirectedFrom: [Origin] = []) {
    request = Request(method, url)
    self.date = date
    self.redirectedFrom = redirectedFrom
  }

  /// The context of a request on its way.
  init(_ request: Request, in exchange: Exchange) {
    self.request = request
    date = exchange.settings.clock.date
    redirectedFrom = exchange.hop == 0 ? [] : exchange[RedirectTrail.self] ?? []
  }

  /// Who is asked for what.
  public var url: URL {
    get { request.url }
    set { request.url = newValue }
  }

  /// The method.
  public var method: HTTPRequest.Method {
    get { request.method }
    set { request.method = newValue }
  }

  /// Whom the request asks.
  var origin: Origin { get throws(InvalidOriginError) { try request.origin } }

  /// The path as it is sent, without query; `/` where there is none.
  var path: String {
    guard let target = request.place.target else { return "/" }
    return String(Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") }))
  }
}
