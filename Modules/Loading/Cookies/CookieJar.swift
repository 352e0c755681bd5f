/// Keeps cookies between requests.
///
/// The two calls are RFC 6265's two algorithms: which cookies go with a request (§5.4), and what becomes of the
/// `Set-Cookie` fields of a response (§5.3). Called from any isolation, by many tasks at once; a head waits for both, so a
/// jar should keep its cookies in memory.
public protocol CookieJar: Sendable {
  /// The cookies for a request, in the order in which they are sent.
  nonisolated(nonsending) func cookies(for context: CookieContext) async -> [Cookie]

  /// Takes the `Set-Cookie` values of one response, in order.
  func store(_ setCookies: [String], from context: CookieContext) async
}
