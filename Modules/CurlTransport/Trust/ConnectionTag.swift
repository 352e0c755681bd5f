import COpenSSL
import CurlewCore
import FoundationEssentials

/// The identity of shared connections, as 64 hexadecimal digits.
///
/// Connections are shared only if their trust policy, their client identity and their account at the proxy are equal.
enum ConnectionTag {
  private static let known = Guarded<[ConnectionKey: String]>([:])

  static func of(
    _ key: ConnectionKey, _ requirements: HandshakeRequirements, _ identity: ClientIdentity?, _ proxy: Proxy?
  ) -> String {
    guard identity == nil, proxy == nil, requirements == HandshakeRequirements() else {
      return digest(key, requirements, identity, proxy)
    }
    if let tag = known.withLock({ $0[key] }) { return tag }
    let tag = digest(key, requirements, nil, nil)
    known.withLock { known in
      if known.count >= 64 { known.removeAll() }
      known[key] = tag
    }
    return tag
  }

  private static func digest(
    _ key: ConnectionKey, _ requirements: HandshakeRequirements, _ identity: ClientIdentity?, _ proxy: Proxy?
  ) -> String {
    var input: [UInt8] = []
    func add(_ bytes: some Collection<UInt8>) {
      withUnsafeBytes(of: UInt64(bytes.count).bigEndian) { input += $0 }
      input += bytes
    }
    add(Array(key.text.utf8))
    add([
      UInt8(requirements.leastVersion?.rawValue ?? 0), requirements.requiresStapledOCSP ? 1 : 0,
      requirements.refusesPlainHTTP ? 1 : 0,
    ])
    add([UInt8](identity?.certificateChain ?? Data()))
    add([UInt8](identity?.privateKey ?? Data()))
    for part in proxy.map(ProxyAccount.parts) ?? [] { add(part.utf8) }
    var output = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    SHA256(input, input.count, &output)
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: output.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

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

/// The tag of the policy that verified a connection; owned by its `SSL`.
// Safe because only the loop's thread, on which OpenSSL calls, uses the mutable parts.
final class VerifiedTag: @unchecked Sendable {
  let tag: String
  /// When the server proved in a full handshake that it has the key of its certificate.
  let provedAt: UInt64
  /// Whether the server announced the end (RFC 8446 §6.1).
  ///
  /// Without the announcement, the end of the connection is a truncation.
  private(set) var sawCloseNotify = false
  /// Whether it is an HTTP/1.1 connection whose last response is complete.
  var isResting = false

  init(_ tag: String, provedAt: UInt64) {
    self.tag = tag
    self.provedAt = provedAt
  }

  /// Returns the tag of a connection; nil before its chain was verified, or a verified session was resumed.
  static func of(_ ssl: OpaquePointer) -> VerifiedTag? {
    guard let indices = ExDataIndices.shared, let seal = SSL_get_ex_data(ssl, indices.connection) else { return nil }
    return Unmanaged<VerifiedTag>.fromOpaque(seal).takeUnretainedValue()
  }

  /// Returns whether HTTP/2 was negotiated on a connection.
  static func speaksHTTP2(_ ssl: OpaquePointer) -> Bool { applicationProtocol(of: ssl) == "h2" }

  /// Returns the event of a completed handshake.
  static func event(of ssl: OpaquePointer) -> ExchangeEvent.Kind {
    let suite = SSL_get_current_cipher(ssl).flatMap(SSL_CIPHER_get_name).map { String(cString: $0) }
    return .secured(
      version: String(cString: SSL_get_version(ssl)), cipherSuite: suite ?? "",
      applicationProtocol: applicationProtocol(of: ssl))
  }

  /// Returns the protocol that was negotiated by ALPN (RFC 7301); nil if none was.
  private static func applicationProtocol(of ssl: OpaquePointer) -> String? {
    var name: UnsafePointer<UInt8>?
    var length: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &name, &length)
    return name.map { String(decoding: UnsafeBufferPointer(start: $0, count: Int(length)), as: UTF8.self) }
  }

  /// Handles an alert that the server sent.
  static func noteAlert(_ ssl: OpaquePointer, _ alert: Int32) {
    if alert & 0xff == SSL_AD_CLOSE_NOTIFY { of(ssl)?.sawCloseNotify = true }
  }
}
