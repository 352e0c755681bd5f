import ArgumentParser
import CurlewCore
import FoundationEssentials

/// The URL of a proxy, or `env`.
enum ProxyArgument: ExpressibleByArgument, Sendable {
  case fixed(Proxy)
  case environment

  init?(argument: String) {
    if argument == "env" {
      self = .environment
    } else if let proxy = Proxy(urlText: argument) {
      self = .fixed(proxy)
    } else {
      return nil
    }
  }
}

extension Proxy {
  /// Parses `[scheme://][user:password@]host[:port]`; the default scheme is http.
  init?(urlText: String) {
    let text = urlText.contains("://") ? urlText : "http://" + urlText
    guard let url = URL(string: text), let host = url.host(percentEncoded: false), !host.isEmpty else { return nil }
    let kinds: [String: (Proxy.Kind, Int)] = [
      "http": (.http, 80), "socks5": (.socks5, 1080), "socks5h": (.socks5, 1080),
    ]
    guard let (kind, port) = kinds[url.scheme?.lowercased() ?? ""] else { return nil }
    let credential = url.user(percentEncoded: false).map { user in
      Credential.password(user: user, password: url.password(percentEncoded: false) ?? "")
    }
    self.init(kind, host: host, port: url.port ?? port, credential: credential)
  }
}

/// The proxies in environment variables, which are read as in curl.
struct ProxyEnvironment {
  private let values: [String: String]

  init(_ values: [String: String]) { self.values = values }

  /// Returns the proxy for a URL; nil for a direct connection.
  ///
  /// - Throws: `NetworkError` when the variable contains an unusable proxy, because a direct connection could reveal what the
  ///   proxy is meant to hide.
  func proxy(for url: URL) throws(NetworkError) -> Proxy? {
    guard let host = url.host(percentEncoded: false)?.lowercased(), !isExempt(host) else { return nil }
    // As in curl, HTTP_PROXY in capitals is ignored: a request to a CGI program could set it.
    let names = url.scheme?.lowercased() == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
    for name in names + ["all_proxy", "ALL_PROXY"] {
      guard let text = values[name], !text.isEmpty else { continue }
      if let proxy = Proxy(urlText: text) { return proxy }
      throw NetworkError(
        .proxyFailed, stage: .preparing,
        message: "The environment variable \(name) is not the URL of a proxy with http:// or socks5://.")
    }
    return nil
  }

  private func isExempt(_ host: String) -> Bool {
    let list = values["no_proxy"] ?? values["NO_PROXY"] ?? ""
    return list.split { $0 == "," || $0 == " " }.contains { entry in
      if entry == "*" { return true }
      let name = entry.lowercased().drop { $0 == "." }
      return host == name || host.hasSuffix("." + name)
    }
  }
}
