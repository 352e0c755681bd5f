import CurlewCore
import HTTPTypes

/// Sends a jar's cookies and stores those of responses, once for each hop.
///
/// It has two places in a chain: cookies are added to the request before authentication and caching see it, and are stored
/// only from responses that came from the network. A `Cookie` field that the app set is kept; the jar adds the names that it
/// lacks. If `RequestOptions.handlesCookies` is false, a request uses no cookies. Cookies in a 407 come from a proxy, not from
/// the origin, and are not stored.
///
/// ```swift
/// let jar = MemoryCookieJar(publicSuffixes: try PublicSuffixList.system())
/// let loader = Loader(transport, chain: InterceptorChain(redirect: Redirect(), cookies: Cookies(jar)))
/// ```
public struct Cookies: Sendable {
  /// The jar that keeps the cookies.
  public let jar: any CookieJar

  /// Creates a stage with a jar, which others may use too.
  public init(_ jar: any CookieJar) { self.jar = jar }

  /// Stores the cookies of a response from the network.
  nonisolated(nonsending) func store(from response: Response, to request: Request, in exchange: Exchange) async {
    let head = response.head
    guard request.options.handlesCookies ?? true, head.status != .proxyAuthenticationRequired else { return }
    var values: [String] = []
    for field in head.headerFields where field.name == .setCookie {
      // Safe because the bytes are copied. A value that is not UTF-8 could not be sent back unchanged, so it is
      // ignored.
      if let value = field.withUnsafeBytesOfValue({ String(validating: $0, as: UTF8.self) }) { values.append(value) }
    }
    if !values.isEmpty { await jar.store(values, from: CookieContext(request, in: exchange)) }
  }
}

/// Adds a jar's cookies to a request.
struct CookieSending: Interceptor {
  private let jar: any CookieJar
  /// The jar if it is one in memory, which is asked without `await`.
  ///
  /// An `await` costs a look at the task's executor, even where nothing is waited for.
  private let memory: MemoryCookieJar?

  init(_ jar: any CookieJar) {
    self.jar = jar
    memory = jar as? MemoryCookieJar
  }

  nonisolated(nonsending) func intercept(
    _ request: Request, in exchange: Exchange, next: Next
  ) async throws -> Response {
    guard request.options.handlesCookies ?? true else { return try await next(request, in: exchange) }
    let context = CookieContext(request, in: exchange)
    let cookies = if let memory { memory.cookies(for: context) } else { await jar.cookies(for: context) }
    guard !cookies.isEmpty else { return try await next(request, in: exchange) }
    var request = request
    request.add(cookies)
    return try await next(request, in: exchange)
  }
}

extension Request {
  /// Puts the cookies into one field (RFC 6265 §5.4).
  ///
  /// `headerFields[.cookie] = "a=1; b=2"` makes two, as HTTP/2 allows and HTTP/1.1 does not.
  mutating func joinCookies() {
    guard headerFields.has(.cookie), headerFields[values: .cookie].count > 1 else { return }
    putCookies([])
  }

  /// Puts the app's own cookies, and then these, into one field; the bytes of its own need not be UTF-8.
  private mutating func putCookies(_ more: [Cookie]) {
    var values = headerFields.filter { $0.name == .cookie }.map { $0.withUnsafeBytesOfValue { [UInt8]($0) } }
    values += more.map { [UInt8]($0.pair.utf8) }
    headerFields = HTTPFields(headerFields.filter { $0.name != .cookie })
    headerFields.append(HTTPField(name: .cookie, value: [UInt8](values.joined(separator: "; ".utf8))))
  }

  /// Adds cookies to the `Cookie` field; names that the app set stay unchanged.
  fileprivate mutating func add(_ cookies: [Cookie]) {
    let own = headerFields.filter { $0.name == .cookie }.map(\.value)
    let names = Set(
      own.flatMap { $0.split(separator: ";") }.map { pair in
        String(pair.prefix { $0 != "=" }.drop { $0 == " " })
      })
    putCookies(cookies.filter { !names.contains($0.name) })
  }
}
