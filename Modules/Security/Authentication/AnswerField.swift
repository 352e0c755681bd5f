import CurlewCore
import CurlewDigests
import FoundationEssentials
import HTTPTypes

/// A credential on its way to one side, and how its scheme writes it for each sending.
struct AnswerField: Sendable {
  let space: ProtectionSpace
  let credential: Credential
  /// The nonce in use, under the Digest scheme.
  let session: DigestSession?
  /// Where the token came from; nil for other credentials.
  let source: TokenSource?
  /// What the last sending was computed of, to check the server's proof.
  private(set) var computation: DigestComputation?

  init(space: ProtectionSpace, credential: Credential, session: DigestSession?, source: TokenSource?) {
    self.space = space
    self.credential = credential
    self.session = session
    self.source = source
  }

  /// The value of the field for one sending; nil when the nonce can be used no more, so that a new one is asked for.
  ///
  /// - Throws: `NetworkError` of kind `authenticationFailed`, and as `BodyHash.of`.
  mutating func value(for request: Request, _ configuration: Authentication.Configuration) async throws -> String? {
    do {
      switch credential {
      case .password(let user, let password):
        guard let session else { return try BasicCredentials.fieldValue(user: user, password: password) }
        return try await digest(session, user, password, request, configuration)
      case .bearer(let token):
        do throws(FieldError) {
          return try AuthorizationField(scheme: "Bearer", credentials: token).fieldValue
        } catch {
          throw CredentialError.unrepresentable(scheme: "bearer")
        }
      case .identity: throw CredentialError.wrongKind(scheme: space.scheme)
      }
    } catch let error as CredentialError {
      throw error.networkError
    }
  }

  private mutating func digest(
    _ session: DigestSession, _ user: String, _ password: String, _ request: Request,
    _ configuration: Authentication.Configuration
  ) async throws -> String? {
    let challenge = session.challenge
    let quality = challenge.quality(hashable: request.body.isReplayable)
    var bodyHash: String?
    if quality == .integrity {
      guard request.body.isReplayable else {
        throw NetworkError(
          .bodyNotReplayable, stage: .preparing,
          message: "The server wants the body's digest in front of it, and the body can be read only once.")
      }
      bodyHash = try await BodyHash.of(request.body, challenge.hash)
    }
    guard let turn = session.turn(configuration.clientNonce()) else { return nil }
    let computation = try DigestComputation(
      challenge, turn, quality, user: user, password: password, method: request.method.rawValue,
      target: RequestTarget.text(of: request.place), bodyHash: bodyHash)
    self.computation = computation
    return try computation.fieldValue()
  }

  /// Takes what the server says of the answer: the next nonce, and the proof that it knows the password too.
  ///
  /// - Throws: `NetworkError` of kind `authenticationFailed` for a wrong proof; one over a body ends the body with it.
  func check(
    _ response: Response, _ name: HTTPField.Name, _ configuration: Authentication.Configuration
  ) throws -> Response {
    guard let session, let computation, let field = response.head.headerFields[name],
      let info = try? AuthenticationInfoField(field)
    else { return response }
    if let nonce = info["nextnonce"], !nonce.isEmpty, nonce.utf8.count <= DigestChallenge.maximumBytes,
      DigestChallenge.isSendable(nonce)
    {
      session.renew(nonce)
    }
    guard configuration.checksServerProof, let proof = info["rspauth"], let quality = computation.quality else {
      return response
    }
    let failure = NetworkError(
      .authenticationFailed, stage: .awaitingHead,
      message: "The server's proof that it knows the password is wrong; it may not be the server it seems to be."
    ).with { $0.response = response.head }
    let isOurs =
      (info["cnonce"] ?? computation.turn.clientNonce) == computation.turn.clientNonce
      && (info["nc"]?.lowercased() ?? computation.turn.countText) == computation.turn.countText
      && (info["qop"]?.lowercased() ?? quality.rawValue) == quality.rawValue
    guard isOurs else { throw failure }
    guard quality == .integrity else {
      guard try Self.isEqual(expected(computation, nil), proof) else { throw failure }
      return response
    }
    // The proof is over the bytes as they were sent; where a coding was undone, or there are none, it cannot be checked.
    guard computation.method != "HEAD", response.head.headerFields[.contentEncoding] == nil,
      let digest = try? Digest(computation.challenge.hash)
    else {
      return response
    }
    var response = response
    response.body = response.body.wrapped { source in
      ProvenBody(source, digest) { hash in
        guard try Self.isEqual(expected(computation, hash), proof) else { throw failure }
      }
    }
    return response
  }

  private func expected(_ computation: DigestComputation, _ bodyHash: String?) throws -> String {
    do {
      return try computation.proof(bodyHash: bodyHash)
    } catch {
      throw error.networkError
    }
  }

  /// Compares without telling by the time it takes where the first difference is.
  private static func isEqual(_ left: String, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.lowercased().utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
