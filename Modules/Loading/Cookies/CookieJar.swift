/// Keeps cookies between requests.
///
/// The two calls are the two algorithms of RFC 6265: which cookies are sent with a request (§5.4), and how the
/// `Set-Cookie` fields of a response are stored (§5.3). They are called from any isolation, by many tasks at once. Each
/// exchange waits for both, so a jar should keep its cookies in memory.
public protocol CookieJar: Sendable {
  /// Returns the cookies for a request, in the order in which they are sent.
  nonisolated(nonsending) func cookies(for context: CookieContext) async -> [Cookie]

  /// Stores the `Set-Cookie` values of one response, in order.
  func store(_ setCookies: [String], from context: CookieContext) async
}
