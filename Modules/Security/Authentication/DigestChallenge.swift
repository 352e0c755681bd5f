import CurlewCore
import CurlewDigests

/// A challenge of the Digest scheme, read (RFC 7616 §3.3).
struct DigestChallenge: Sendable, Hashable {
  /// Qualities of protection, the stronger one last.
  enum Quality: String, Sendable, Hashable, CaseIterable {
    case authentication = "auth"
    case integrity = "auth-int"
  }

  /// The most bytes of all parameters together: they are sent back in each request.
  static let maximumBytes = 8_192
  /// The most URIs of `domain` that are looked at.
  static let maximumDomains = 64

  let realm: String
  let nonce: String
  let opaque: String?
  /// As the server wrote it; nil is MD5.
  let algorithm: String?
  let hash: DigestAlgorithm
  /// Whether the key is made once for a session, as `MD5-sess` has it.
  let isSession: Bool
  /// Empty where the server speaks RFC 2069.
  let qualities: Set<Quality>
  /// Whether only the nonce of the last answer was refused.
  let isStale: Bool
  let hashesUser: Bool
  let isUTF8: Bool
  /// The URIs of `domain`, as written.
  let domain: [String]

  /// Nil when something is missing, too long, or of a kind that is not known.
  init?(_ challenge: Challenge) {
    guard challenge.protectionSpace.scheme == "digest" else { return nil }
    var values: [String: String] = [:]
    var bytes = 0
    for parameter in challenge.parameters {
      bytes += parameter.name.utf8.count + parameter.value.utf8.count
      guard bytes <= Self.maximumBytes, values.updateValue(parameter.value, forKey: parameter.name) == nil else {
        return nil
      }
    }
    guard let realm = values["realm"], let nonce = values["nonce"], Self.isSendable(realm), Self.isSendable(nonce),
      Self.isSendable(values["opaque"] ?? "")
    else { return nil }
    var name = (values["algorithm"] ?? "MD5").lowercased()
    isSession = name.hasSuffix("-sess")
    if isSession { name.removeLast("-sess".count) }
    guard let hash = Self.hashes.first(where: { $0.name == name })?.hash else { return nil }
    if let offered = values["qop"], !offered.isEmpty {
      let names = offered.split { $0 == "," || $0 == " " || $0 == "\t" }.map { $0.lowercased() }
      qualities = Set(names.compactMap { Quality(rawValue: $0) })
      guard !qualities.isEmpty else { return nil }
    } else {
      // A session's key needs the client's nonce, which RFC 2069 does not send.
      guard !isSession else { return nil }
      qualities = []
    }
    self.realm = realm
    self.nonce = nonce
    self.hash = hash
    opaque = values["opaque"]
    algorithm = values["algorithm"]
    isStale = values["stale"]?.lowercased() == "true"
    hashesUser = values["userhash"]?.lowercased() == "true"
    isUTF8 = values["charset"]?.lowercased() == "utf-8"
    domain = (values["domain"] ?? "").split(separator: " ").prefix(Self.maximumDomains).map { String($0) }
  }

  /// How good the algorithm is, among those of one response.
  var strength: Int {
    let base = Self.hashes.firstIndex { $0.hash == hash } ?? 0
    return base * 2 + (isSession ? 1 : 0)
  }

  /// The strongest quality this body can be sent with; nil when the server offers none (RFC 2069).
  ///
  /// The body is hashed before it is sent, so one that can be read once goes without integrity where the server allows.
  func quality(hashable: Bool) -> Quality? {
    hashable && qualities.contains(.integrity)
      ? .integrity : qualities.contains(.authentication) ? .authentication : qualities.first
  }

  private static let hashes: [(name: String, hash: DigestAlgorithm)] = [
    ("md5", .md5), ("sha-256", .sha256), ("sha-512-256", .sha512Truncated256),
  ]

  /// Whether a quoted-string can carry the text back.
  static func isSendable(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
  }
}
