import CurlewCore

/// The account at a proxy under which a connection through it is opened.
///
/// A proxy checks credentials once, when it opens a tunnel, and libcurl compares only those for SOCKS proxies. Without this a
/// request with a wrong password, or with none, would use the tunnel of another user.
enum ProxyAccount {
  /// Returns the proxy and the account as texts, for comparison.
  static func parts(_ proxy: Proxy) -> [String] {
    var parts = [proxy.kind.rawValue, proxy.host, String(proxy.port)]
    if case .password(let user, let password)? = proxy.credential { parts += ["password", user, password] }
    if proxy.kind == .http, let authorization = proxy.authorization {
      parts += digestAccount(authorization, proxy) ?? ["field", authorization]
    }
    return parts
  }

  /// Returns what all Digest responses of one account have in common; nil for other fields.
  ///
  /// Each response has its own text (RFC 7616 §3.4), which does not show the password. So the account is known only together
  /// with the password. Without it the whole text counts, and the tunnel serves a single request.
  private static func digestAccount(_ authorization: String, _ proxy: Proxy) -> [String]? {
    guard case .password? = proxy.credential,
      let field = try? AuthenticationChallengeField.parse(authorization).first,
      field.scheme.lowercased() == "digest"
    else { return nil }
    let common = ["username", "username*", "realm"]
    return ["digest"]
      + common.map { name in field.parameters.first { $0.name.lowercased() == name }.map { "=" + $0.value } ?? "" }
  }

  /// Whether a request that the proxy forwards may not share its connection.
  ///
  /// Each forwarded request has its own `Proxy-Authorization`, which the proxy checks for each request, except with schemes
  /// that authenticate the connection, such as NTLM and Negotiate (RFC 4559).
  static func bindsConnection(_ proxy: Proxy?) -> Bool {
    guard let proxy, proxy.kind == .http, let authorization = proxy.authorization else { return false }
    let scheme = authorization.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }.lowercased()
    return !["basic", "digest", "bearer"].contains(scheme)
  }
}
