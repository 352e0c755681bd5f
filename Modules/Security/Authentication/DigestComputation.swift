import CurlewCore
import CurlewDigests
import FoundationEssentials

/// Computes the Digest response of one request (RFC 7616 §3.4).
struct DigestComputation: Sendable {
  let challenge: DigestChallenge
  let turn: DigestSession.Turn
  let quality: DigestChallenge.Quality?
  let user: String
  let password: String
  let method: String
  /// The request target, the `uri` parameter.
  let target: String
  /// The hash of the body; nil without integrity protection.
  let bodyHash: String?

  init(
    _ challenge: DigestChallenge, _ turn: DigestSession.Turn, _ quality: DigestChallenge.Quality?, user: String,
    password: String, method: String, target: String, bodyHash: String?
  ) throws(CredentialError) {
    try CredentialError.checkControls(user, password)
    self.challenge = challenge
    self.turn = turn
    self.quality = quality
    self.user = user.nfc
    self.password = password.nfc
    self.method = method
    self.target = target
    self.bodyHash = bodyHash
  }

  /// Returns the value of `Authorization` or `Proxy-Authorization`.
  func fieldValue() throws(CredentialError) -> String {
    var parameters: [AuthorizationField.Parameter] = []
    if challenge.hashesUser {
      parameters.append(.init("username", try hash(user + ":" + challenge.realm)))
    } else if challenge.isUTF8, !user.utf8.allSatisfy({ $0 < 0x80 }) {
      parameters.append(.init("username*", Self.extended(user), isQuoted: false))
    } else {
      parameters.append(.init("username", user))
    }
    parameters.append(.init("realm", challenge.realm))
    parameters.append(.init("nonce", turn.nonce))
    parameters.append(.init("uri", target))
    if let algorithm = challenge.algorithm { parameters.append(.init("algorithm", algorithm, isQuoted: false)) }
    if let quality {
      parameters.append(.init("qop", quality.rawValue, isQuoted: false))
      parameters.append(.init("nc", turn.countText, isQuoted: false))
      parameters.append(.init("cnonce", turn.clientNonce))
    }
    parameters.append(.init("response", try response(method: method, bodyHash: bodyHash)))
    if let opaque = challenge.opaque { parameters.append(.init("opaque", opaque)) }
    if challenge.hashesUser { parameters.append(.init("userhash", "true", isQuoted: false)) }
    do throws(FieldError) {
      return try AuthorizationField(scheme: "Digest", parameters: parameters).fieldValue
    } catch {
      throw .unrepresentable(scheme: "digest")
    }
  }

  /// Returns the `rspauth` of a server that knows the password (RFC 7616 §3.5).
  func proof(bodyHash: String?) throws(CredentialError) -> String { try response(method: "", bodyHash: bodyHash) }

  private func response(method: String, bodyHash: String?) throws(CredentialError) -> String {
    var key = try hash(user + ":" + challenge.realm + ":" + password)
    if challenge.isSession { key = try hash(key + ":" + turn.keyNonce + ":" + turn.keyClientNonce) }
    var subject = method + ":" + target
    if quality == .integrity, let bodyHash { subject += ":" + bodyHash }
    let data = try hash(subject)
    guard let quality else { return try hash("\(key):\(turn.nonce):\(data)") }
    return try hash("\(key):\(turn.nonce):\(turn.countText):\(turn.clientNonce):\(quality.rawValue):\(data)")
  }

  private func hash(_ text: String) throws(CredentialError) -> String {
    do throws(DigestError) {
      return try Digest.of(Data(text.utf8), challenge.hash).hexadecimal
    } catch {
      throw .unavailableHash(challenge.hash.name)
    }
  }

  /// Returns the extended notation `UTF-8''…` (RFC 8187 §3.2).
  private static func extended(_ text: String) -> String { "UTF-8''" + PercentEncoding.encoded(text) }
}
