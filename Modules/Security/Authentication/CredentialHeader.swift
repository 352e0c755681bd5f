import CurlewCore
import CurlewDigests
import FoundationEssentials
import HTTPTypes

/// A credential for a server or a proxy, and how to write its field.
struct CredentialHeader: Sendable {
  let space: ProtectionSpace
  let credential: Credential
  /// The nonce in use; nil for schemes other than Digest.
  let session: DigestSession?
  /// The source of the token; nil for other credentials.
  let source: TokenSource?
  /// The inputs of the last Digest response, needed to check the server's proof.
  private(set) var computation: DigestComputation?

  init(space: ProtectionSpace, credential: Credential, session: DigestSession?, source: TokenSource?) {
    self.space = space
    self.credential = credential
    self.session = session
    self.source = source
  }

  /// A text that is the same for equal credentials only; nil if the field itself is.
  var identity: String? {
    // Neither the user nor the password can contain a line break.
    guard session != nil, case .password(let user, let password) = credential else { return nil }
    return "digest\n\(user)\n\(password)\n\(space.realm ?? "")"
  }

  /// Returns the field value for one request, or nil when the nonce is used up.
  ///
  /// A request without the field is answered with a challenge, which brings a new nonce.
  ///
  /// - Throws: `NetworkError` of kind `authenticationFailed`, and the errors of `BodyHash.of`.
  mutating func value(for request: Request, _ configuration: Authentication.Configuration) async throws -> String? {
    try await value(
      for: request.body, method: request.method.rawValue, target: RequestTarget.text(of: request.parsedURL),
      configuration)
  }

  /// Returns the field value for a `CONNECT`, or nil when the nonce is used up.
  ///
  /// - Throws: `NetworkError` of kind `authenticationFailed`.
  mutating func value(
    forTunnelTo origin: Origin, _ configuration: Authentication.Configuration
  ) async throws -> String? {
    try await value(for: .empty, method: "CONNECT", target: "\(origin.urlHost):\(origin.port)", configuration)
  }

  private mutating func value(
    for body: Body, method: String, target: String, _ configuration: Authentication.Configuration
  ) async throws -> String? {
    do {
      switch credential {
      case .password(let user, let password):
        guard let session else { return try BasicCredentials.fieldValue(user: user, password: password) }
        guard let turn = try await begin(session, body, configuration) else { return nil }
        let computation = try DigestComputation(
          session.challenge, turn.turn, turn.quality, user: user, password: password, method: method, target: target,
          bodyHash: turn.bodyHash)
        self.computation = computation
        return try computation.fieldValue()
      case .bearer(let token):
        do throws(FieldError) {
          return try AuthorizationField(scheme: "Bearer", credentials: token).fieldValue
        } catch {
          throw CredentialError.unrepresentable(scheme: "bearer")
        }
      case .identity, .serverTrust: throw CredentialError.wrongKind(scheme: space.scheme)
      }
    } catch let error as CredentialError {
      throw error.networkError
    }
  }

  /// The inputs of one Digest response.
  private struct DigestTurn {
    var turn: DigestSession.Turn
    var quality: DigestChallenge.Quality?
    var bodyHash: String?
  }

  /// Takes the next use of the nonce, or returns nil when it is used up.
  private func begin(
    _ session: DigestSession, _ body: Body, _ configuration: Authentication.Configuration
  ) async throws -> DigestTurn? {
    let challenge = session.challenge
    let quality = challenge.quality(hashable: body.isReplayable)
    var bodyHash: String?
    if quality == .integrity {
      guard body.isReplayable else {
        throw NetworkError(
          .bodyNotReplayable, stage: .preparing,
          message: "The server wants a hash of the body before the body (auth-int), and the body can be read only once."
        )
      }
      bodyHash = try await BodyHash.of(body, challenge.hash)
    }
    guard let turn = session.turn(configuration.clientNonce()) else { return nil }
    return DigestTurn(turn: turn, quality: quality, bodyHash: bodyHash)
  }

  /// Reads the next nonce and the server's proof from `Authentication-Info`.
  ///
  /// The proof shows that the server knows the password too.
  ///
  /// - Throws: `NetworkError` of kind `authenticationFailed` for a wrong proof. Where the proof covers the body, the
  ///   body ends with that error instead.
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
      message: "The server's proof that it knows the password (rspauth) is wrong, so it may be an impostor."
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
    // The proof covers the body as it was sent. It cannot be checked without a body, or after a content coding was decoded.
    guard computation.method != "HEAD", response.head.undoneCoding == nil,
      let digest = try? Digest(computation.challenge.hash)
    else {
      return response
    }
    var response = response
    let tap = RspauthCheck(digest) { hash in
      guard try Self.isEqual(expected(computation, hash), proof) else { throw failure }
    }
    response.body = response.body.tapped(by: tap)
    return response
  }

  private func expected(_ computation: DigestComputation, _ bodyHash: String?) throws -> String {
    do {
      return try computation.proof(bodyHash: bodyHash)
    } catch {
      throw error.networkError
    }
  }

  /// Compares in constant time: the duration must not tell where texts differ.
  private static func isEqual(_ left: String, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.lowercased().utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// The path and the query of a URL, as the request line contains them.
enum RequestTarget {
  /// Returns path and query, beginning with a slash and without the fragment.
  static func text(of place: ParsedURL) -> String { place.target.map { String($0) } ?? "/" }

  /// Returns the path alone, or nil when it has dot segments.
  ///
  /// A server may resolve those to another path, which another protection space may cover.
  static func plainPath(of place: ParsedURL) -> String? {
    let path = text(of: place).prefix { $0 != "?" }
    let segments = path.lowercased().split(separator: "/", omittingEmptySubsequences: false)
    let hasDots = segments.contains { segment in
      let plain = segment.split(separator: "%2e", omittingEmptySubsequences: false).joined(separator: ".")
      return plain == "." || plain == ".."
    }
    return hasDots ? nil : String(path)
  }
}

/// Hashes a body and checks the server's proof, `rspauth` (RFC 7616 §3.5).
// Safe because one thread or task at a time passes the bytes and the end to a tap.
final class RspauthCheck: BodyTap, @unchecked Sendable {
  private let digest: Digest
  private let check: @Sendable (String) throws -> Void

  init(_ digest: Digest, check: @escaping @Sendable (String) throws -> Void) {
    self.digest = digest
    self.check = check
  }

  func receive(_ bytes: UnsafeRawBufferPointer) { digest.update(bytes) }

  func ended(by error: (any Error)?) async throws {
    if error == nil { try check(try digest.finish().hexadecimal) }
  }
}

/// The hash of a request's body, for Digest with integrity (RFC 7616 §3.4.3).
enum BodyHash {
  private static let chunkSize = 65_536

  /// Reads the body once and returns its hash in hexadecimal.
  ///
  /// - Throws: `NetworkError` of kind `bodySourceFailed`, or of kind `authenticationFailed` when OpenSSL lacks the
  ///   algorithm or has no memory; the errors of `FileBodyReader`; `CancellationError`.
  static func of(_ body: Body, _ algorithm: DigestAlgorithm) async throws -> String {
    let digest: Digest
    do throws(DigestError) {
      digest = try Digest(algorithm)
    } catch {
      throw CredentialError.unavailableHash(algorithm.name).networkError
    }
    switch body.source {
    case .empty: break
    case .bytes(let data): digest.update(data)
    case .file(let region): try await add(region, to: digest)
    case .stream(let stream): try await add(stream, to: digest)
    }
    do throws(DigestError) {
      return try digest.finish().hexadecimal
    } catch {
      throw CredentialError.unavailableHash(algorithm.name).networkError
    }
  }

  private static func add(_ region: Body.FileRegion, to digest: Digest) async throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkSize, alignment: 16)
    defer { buffer.deallocate() }
    let reader = try FileBodyReader(region)
    while case let count = try reader.read(into: buffer), count > 0 {
      try Task.checkCancellation()
      digest.update(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
      await Task.yield()
    }
  }

  private static func add(_ stream: Body.Stream, to digest: Digest) async throws {
    do {
      let chunks = try await stream.make()
      while let chunk = try await chunks.next() {
        digest.update(chunk)
        try Task.checkCancellation()
      }
    } catch let error as CancellationError {
      throw error
    } catch {
      throw NetworkError(
        .bodySourceFailed, stage: .preparing, message: "The source of the request's body failed.", underlying: error)
    }
  }
}
