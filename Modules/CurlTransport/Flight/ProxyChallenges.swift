import CurlewCore
import HTTPTypes

/// The challenges of a proxy that refused a tunnel.
enum ProxyChallenges {
  static func read(_ fields: HTTPFields, of proxy: Proxy?) -> [Challenge] {
    guard let proxy, let origin = try? Origin(scheme: .http, host: proxy.host, port: proxy.port) else { return [] }
    return fields[values: .proxyAuthenticate].map { line in
      let scheme = line.prefix { $0 != " " }.lowercased()
      return Challenge(protectionSpace: ProtectionSpace(origin: origin, isProxy: true, scheme: scheme))
    }
  }
}
