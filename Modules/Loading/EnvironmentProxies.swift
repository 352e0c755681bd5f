public import CurlewCore
public import FoundationEssentials

/// The proxies that environment variables name, read as curl reads them.
///
/// `https_proxy` or `HTTPS_PROXY` is for `https`, `http_proxy` for `http`, and `all_proxy` or `ALL_PROXY` for both where these are unset
/// or empty. `HTTP_PROXY` in capitals is ignored, because a request to a CGI program can set it. `no_proxy` or `NO_PROXY` lists what is
/// reached directly, see `ProxyExceptions`. A variable in small letters comes first.
///
/// At the place `proxy` of a chain it chooses the proxy of each hop. A proxy that the exchange's settings already have is kept. The library
/// itself reads no environment, so the app passes its own:
///
/// ```swift
/// let session = try HTTPSession(baseURL: "https://api.example.com/v1/") {
///   $0.chain.proxy = EnvironmentProxies(ProcessInfo.processInfo.environment)
/// }
/// ```
///
/// Descriptions and dumps show none of the variables: they may contain passwords.
public struct EnvironmentProxies: Interceptor {
  private let values: [String: String]
  private let exceptions: ProxyExceptions

  /// Takes the variables about proxies from an environment.
  public init(_ environment: [String: String]) {
    let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    values = environment.filter { names.contains($0.key) && !$0.value.isEmpty }
    let lists = ["no_proxy", "NO_PROXY"].compactMap { environment[$0] }
    exceptions = ProxyExceptions(lists.first { !$0.isEmpty } ?? "")
  }

  /// Returns the proxy for a URL; nil for a direct connection.
  ///
  /// It is nil for a URL without an origin, which no transport sends.
  ///
  /// - Throws: `NetworkError` of kind `proxyFailed` that names a variable whose value is no usable proxy: a direct connection could reveal
  ///   what the proxy is meant to hide.
  public func proxy(for url: URL) throws(NetworkError) -> Proxy? {
    guard let origin = try? Origin(url), !exceptions.contains(origin) else { return nil }
    let names = origin.scheme == .https ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
    for name in names + ["all_proxy", "ALL_PROXY"] {
      guard let text = values[name] else { continue }
      if let proxy = Proxy(text) { return proxy }
      throw NetworkError(
        .proxyFailed, stage: .preparing,
        message: "The environment variable \(name) is not the URL of a proxy with http:// or socks5://.")
    }
    return nil
  }

  /// Sends the request through the proxy for its URL.
  ///
  /// - Throws: The error of `proxy(for:)`; the errors of the rest of the chain.
  public nonisolated(nonsending) func intercept(
    _ request: Request, in exchange: Exchange, next: Next
  ) async throws -> Response {
    guard !exchange.hasProxy, let proxy = try proxy(for: request.url) else {
      return try await next(request, in: exchange)
    }
    return try await next(request, in: exchange.derived { $0.proxy = proxy })
  }
}

extension EnvironmentProxies: CustomReflectable {
  /// The names of the variables, without their values.
  public var customMirror: Mirror { Mirror(self, children: ["variables": values.keys.sorted()]) }
}

extension Proxy {
  /// Creates a proxy from `[scheme://][user:password@]host[:port]`, as curl reads it; nil if the text is no such proxy.
  ///
  /// The scheme is `http`, the default, `socks5` or `socks5h`; with both of the latter the proxy looks up names. The port is 1080 by default.
  /// User and password are percent-decoded.
  public init?(_ text: String) {
    let text = text.contains("://") ? text : "http://" + text
    guard let url = URL(keepingEscapes: text), let host = url.host(percentEncoded: false), !host.isEmpty else {
      return nil
    }
    let kinds: [String: Proxy.Kind] = ["http": .http, "socks5": .socks5, "socks5h": .socks5]
    guard let kind = kinds[url.scheme?.lowercased() ?? ""] else { return nil }
    let port = url.port ?? 1080
    guard (1...65535).contains(port) else { return nil }
    let credential = url.user(percentEncoded: false).map { user in
      Credential.password(user: user, password: url.password(percentEncoded: false) ?? "")
    }
    self.init(kind, host: host, port: port, credential: credential)
  }
}
