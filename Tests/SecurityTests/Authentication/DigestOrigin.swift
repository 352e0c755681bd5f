import CurlewCore
import CurlewDigests
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Synchronization

/// The parameters of a Digest `Authorization`, read and checked apart from the code under test.
struct SentDigest {
  struct Malformed: Error {}

  private var values: [String: String] = [:]

  init(_ field: String) throws {
    guard field.hasPrefix("Digest ") else { throw Malformed() }
    var rest = Array(field.dropFirst("Digest ".count))[...]
    while !rest.isEmpty {
      let name = String(rest.prefix { $0 != "=" })
      rest = rest.dropFirst(name.count + 1)
      var value = ""
      if rest.first == "\"" {
        rest = rest.dropFirst()
        while let next = rest.popFirst(), next != "\"" {
          if next == "\\", let escaped = rest.popFirst() { value.append(escaped) } else { value.append(next) }
        }
      } else {
        while let next = rest.first, next != "," {
          value.append(next)
          rest = rest.dropFirst()
        }
      }
      guard values.updateValue(value, forKey: name) == nil else { throw Malformed() }
      while let next = rest.first, next == "," || next == " " { rest = rest.dropFirst() }
    }
  }

  subscript(name: String) -> String? { values[name] }

  /// The hash that a server expects, by RFC 7616 §3.4.1.
  func expected(user: String, password: String, method: String, body: [UInt8]) -> String? {
    let name = (self["algorithm"] ?? "MD5").lowercased()
    let isSession = name.hasSuffix("-sess")
    guard let algorithm = DigestAlgorithm(name: isSession ? String(name.dropLast(5)) : name), let realm = self["realm"],
      let nonce = self["nonce"], let uri = self["uri"]
    else { return nil }
    func hash(_ text: String) -> String? { (try? Digest.of(Data(text.utf8), algorithm))?.hexadecimal }
    guard var first = hash("\(user):\(realm):\(password)") else { return nil }
    if isSession {
      guard let key = hash("\(first):\(nonce):\(self["cnonce"] ?? "")") else { return nil }
      first = key
    }
    var second = "\(method):\(uri)"
    if self["qop"] == "auth-int" {
      guard let digest = try? Digest.of(Data(body), algorithm) else { return nil }
      second += ":" + digest.hexadecimal
    }
    guard let last = hash(second) else { return nil }
    guard let qop = self["qop"] else { return hash("\(first):\(nonce):\(last)") }
    return hash("\(first):\(nonce):\(self["nc"] ?? ""):\(self["cnonce"] ?? ""):\(qop):\(last)")
  }

  func isRight(user: String, password: String, method: String, body: [UInt8]) -> Bool {
    expected(user: user, password: password, method: method, body: body) == self["response"]
  }
}

extension Challenge {
  /// A Digest challenge of these parameters.
  static func digest(_ parameters: [String: String], host: String = "a.example") -> Challenge {
    guard let origin = try? Origin(scheme: .https, host: host) else { fatalError("the host is one") }
    return Challenge(
      protectionSpace: ProtectionSpace(origin: origin, scheme: "digest", realm: parameters["realm"]),
      parameters: parameters.map { FieldParameter(name: $0.key, value: $0.value) })
  }
}

/// A server that keeps the books of its nonces: which it gave out, how often each was used, and when it is too old.
final class DigestBooks: Sendable {
  struct Rules: Sendable {
    var user = "wader"
    var password = "sécret"
    var realm = "marsh"
    var algorithm: String? = "SHA-256"
    var qop: String? = "auth"
    /// After so many uses a nonce is stale.
    var usesOfNonce = Int.max
    /// Whether it gives the next nonce with each good answer.
    var givesNextNonce = false
    /// Whether it sends a proof, and a right one.
    var proof: Proof = .right
    var more = ""
  }
  /// `ofAnother` is a right proof that names another request than the one that it answers.
  enum Proof { case none, right, wrong, ofAnother }

  private struct State {
    var counts: [String: UInt32] = [:]
    var accepted = 0
    var refused = 0
    var stale = 0
    var last = 0
  }

  let rules: Rules
  private let state = Guarded(State())

  init(_ rules: Rules = Rules()) { self.rules = rules }

  /// Requests accepted, refused for good, refused for a stale nonce.
  var counts: [Int] { state.withLock { [$0.accepted, $0.refused, $0.stale] } }
  /// How many nonces were given out.
  var nonces: Int { state.withLock { $0.last } }

  private func nonce() -> String {
    state.withLock { state in
      state.last += 1
      state.counts["nonce\(state.last)"] = 0
      return "nonce\(state.last)"
    }
  }

  private func challenge(stale: Bool) -> String {
    var text = "Digest realm=\"\(rules.realm)\", nonce=\"\(nonce())\", opaque=\"o p\", charset=UTF-8"
    if let algorithm = rules.algorithm { text += ", algorithm=\(algorithm)" }
    if let qop = rules.qop { text += ", qop=\"\(qop)\"" }
    if stale { text += ", stale=true" }
    return text + rules.more
  }

  /// Nil when the answer is right, else the challenge; with the right one the value of `Authentication-Info`.
  func judge(
    _ field: String?, method: String, target: String, body: [UInt8], reply: [UInt8]
  ) -> (challenge: String?, info: String?) {
    guard let field else { return (challenge(stale: false), nil) }
    guard let sent = try? SentDigest(field), sent["realm"] == rules.realm, sent["uri"] == target,
      sent["opaque"] == "o p", let nonce = sent["nonce"],
      sent.isRight(user: rules.user, password: rules.password, method: method, body: body)
    else {
      state.withLock { $0.refused += 1 }
      return (challenge(stale: false), nil)
    }
    let isFresh = state.withLock { state in
      guard let count = state.counts[nonce], count < rules.usesOfNonce,
        rules.qop == nil || UInt32(sent["nc"] ?? "", radix: 16) == count + 1
      else {
        state.stale += 1
        return false
      }
      state.counts[nonce] = count + 1
      state.accepted += 1
      return true
    }
    guard isFresh else { return (challenge(stale: true), nil) }
    var info: [String] = []
    if rules.givesNextNonce { info.append("nextnonce=\"\(self.nonce())\"") }
    if rules.proof != .none, let qop = sent["qop"] {
      let proof = sent.expected(user: rules.user, password: rules.password, method: "", body: reply) ?? ""
      info.append("rspauth=\"\(rules.proof == .wrong ? String(proof.reversed()) : proof)\"")
      let count = rules.proof == .ofAnother ? "00000009" : sent["nc"] ?? ""
      info += ["qop=\(qop)", "cnonce=\"\(sent["cnonce"] ?? "")\"", "nc=\(count)"]
    }
    return (nil, info.isEmpty ? nil : info.joined(separator: ", "))
  }

  /// An origin that answers `reply` to whoever is right.
  func origin(_ reply: String = "reply") async throws -> ScriptedOrigin {
    try await ScriptedOrigin.start { request in
      let body = await request.body()
      let (challenge, info) = self.judge(
        request["Authorization"], method: request.method, target: request.target, body: body, reply: [UInt8](reply.utf8)
      )
      if let challenge { return .status(401, "who?", ["WWW-Authenticate": challenge]) }
      return .ok(reply, info.map { ["Authentication-Info": $0] } ?? [:])
    }
  }
}
