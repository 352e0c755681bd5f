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
