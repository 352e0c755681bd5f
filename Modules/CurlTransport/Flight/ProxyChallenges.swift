import CurlewCore
import HTTPTypes

/// The challenges of a proxy that refused a tunnel.
enum ProxyChallenges {
  static func read(_ fields: HTTPFields, of proxy: Proxy?) -> [Challenge] {
    guard let proxy, let origin = try? Origin(scheme: .http, host: proxy.host, port: proxy.port) else { return [] }
    return AuthenticationChallengeField.all(in: fields, .proxyAuthenticate).map { field in
      Challenge(
        protectionSpace: ProtectionSpace(
          origin: origin, isProxy: true, scheme: field.scheme.lowercased(), realm: field.realm),
        parameters: field.parameters)
    }
  }
}
