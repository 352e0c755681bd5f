import CurlewCore
import CurlewDigests

/// The parameters of a Digest challenge (RFC 7616 §3.3).
struct DigestChallenge: Sendable, Hashable {
  /// The qualities of protection, from weaker to stronger.
  enum Quality: String, Sendable, Hashable, CaseIterable {
    case authentication = "auth"
    case integrity = "auth-int"
  }

  /// The limit for all parameters together, in bytes: every request sends them back.
  static let maximumBytes = 8_192
  /// The most URIs of `domain` that are read.
  static let maximumDomains = 64

  let realm: String
  let nonce: String
  let opaque: String?
  /// The algorithm as the server wrote it; nil means MD5.
  let algorithm: String?
  let hash: DigestAlgorithm
  /// Whether the key is computed once per session, as in `MD5-sess`.
  let isSession: Bool
  /// The offered qualities; empty for a server that follows RFC 2069.
  let qualities: Set<Quality>
  /// Whether the server refused only the nonce of the last answer.
  let isStale: Bool
  let hashesUser: Bool
  let isUTF8: Bool
  /// The URIs of `domain` as the server wrote them.
  let domain: [String]

  /// Reads a challenge, or returns nil when it cannot be answered.
  ///
  /// That is the case when a required parameter is missing, the challenge is too long, or its algorithm or quality is unknown.
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
      // The key of a session needs the client nonce, which RFC 2069 does not send.
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

  /// The rank of the algorithm among those of one response; higher is stronger.
  var strength: Int {
    let base = Self.hashes.firstIndex { $0.hash == hash } ?? 0
    return base * 2 + (isSession ? 1 : 0)
  }

  /// Returns the strongest quality for a request, or nil under RFC 2069.
  ///
  /// Integrity protection hashes the body before it is sent. A body that can be read only once is therefore sent without it,
  /// if the server allows that.
  func quality(hashable: Bool) -> Quality? {
    hashable && qualities.contains(.integrity)
      ? .integrity : qualities.contains(.authentication) ? .authentication : qualities.first
  }

  private static let hashes: [(name: String, hash: DigestAlgorithm)] = [
    ("md5", .md5), ("sha-256", .sha256), ("sha-512-256", .sha512Truncated256),
  ]

  /// Returns whether the text can be sent back in a quoted string.
  static func isSendable(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
  }
}
