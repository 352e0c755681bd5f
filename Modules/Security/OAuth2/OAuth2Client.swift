public import CurlewCore
public import FoundationEssentials
import HTTPTypes

/// A client of an OAuth 2 server (RFC 6749), which gets tokens from its token endpoint.
///
/// Most apps give it to a `TokenSource`, which asks for tokens when requests need them:
///
/// ```swift
/// let client = try OAuth2Client(id: "birds", secret: secret, tokenEndpoint: "https://login.example.com/token") {
///   try await signInLoader.data(for: $0, upTo: 65_536)
/// }
/// let tokens = try TokenSource(for: ["https://api.example.com"], clientCredentials: client)
/// let loader = Loader(transport, chain: InterceptorChain(authentication: Authentication(tokens: [tokens])))
/// ```
///
/// A token request follows no redirect, since it contains secrets. Descriptions and dumps show no secret.
public struct OAuth2Client: Sendable {
  /// Sends a token request and returns the bytes of the response's body.
  public typealias Send = @Sendable (Request) async throws -> (Data, ResponseHead)

  /// How a client with a secret proves who it is (RFC 6749 §2.3.1).
  public enum SecretPlace: Sendable, Hashable {
    /// In the field `Authorization`, as each server must accept it.
    case authorization
    /// In the content, for servers that accept nothing else.
    case content
  }

  /// The client's identifier.
  public let id: String
  /// The scope that is asked for, as words separated by spaces; nil for the server's default.
  public let scope: String?
  /// The URL of the token endpoint.
  public let tokenEndpoint: URL
  private let secret: String?
  private let secretPlace: SecretPlace
  let clock: any NetworkClock
  private let send: Send

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - id: The client's identifier.
  ///   - secret: Its secret; nil for a public client, such as a program that its users have.
  ///   - secretPlace: Where the secret is sent.
  ///   - tokenEndpoint: The URL of the token endpoint. It must be `https`, except on this machine.
  ///   - scope: The scope to ask for, as words separated by spaces; nil for the server's default.
  ///   - clock: The clock for expiries and for the pauses of a login.
  ///   - send: Sends a request and returns its response of any status, with a limit on its size.
  /// - Throws: `NetworkError` of kind `invalidURL` when the endpoint is no such URL.
  public init(
    id: String, secret: String? = nil, secretPlace: SecretPlace = .authorization, tokenEndpoint: String,
    scope: String? = nil, clock: any NetworkClock = .system, send: @escaping Send
  ) throws(NetworkError) {
    self.id = id
    self.secret = secret
    self.secretPlace = secretPlace
    self.tokenEndpoint = try Self.endpoint(tokenEndpoint)
    self.scope = scope
    self.clock = clock
    self.send = send
  }

  /// Gets a token for the client itself (§4.4).
  ///
  /// - Throws: `OAuth2Error` for what the server answers; the errors of `send`.
  public func clientCredentials() async throws -> OAuth2Token {
    try await token(["grant_type": "client_credentials", "scope": scope])
  }

  /// Gets the next token with a refresh token (§6).
  ///
  /// The answer has the same refresh token if the server gave no other.
  ///
  /// - Throws: `OAuth2Error`, of kind `invalidGrant` when the user has to sign in again; the errors of `send`.
  public func refresh(_ refreshToken: String) async throws -> OAuth2Token {
    var token = try await token(
      ["grant_type": "refresh_token", "refresh_token": refreshToken], hiding: [refreshToken])
    token.refreshToken = token.refreshToken ?? refreshToken
    return token
  }

  /// Returns the URL of an endpoint.
  static func endpoint(_ text: String) throws(NetworkError) -> URL {
    let request = try Request(.post, text)
    guard let origin = try? request.origin, origin.scheme == .https || isLocal(origin) else {
      throw NetworkError(
        .invalidURL, stage: .preparing,
        message:
          "\(Redaction.name(of: request.url)) is no endpoint of OAuth 2: it must be https, except on this machine.")
    }
    return request.url
  }

  private static func isLocal(_ origin: Origin) -> Bool {
    origin.host == "localhost" || origin.host == "::1" || origin.isIPAddress && origin.host.hasPrefix("127.")
  }

  /// Asks the token endpoint for a token.
  ///
  /// - Parameter secrets: What errors must not show, beside the client's secret.
  func token(_ parameters: [String: String?], hiding secrets: [String] = []) async throws -> OAuth2Token {
    let (content, head) = try await post(parameters, to: tokenEndpoint, hiding: secrets)
    let date = clock.date
    guard let answer = TokenAnswer.read(content),
      !answer.accessToken.isEmpty, answer.tokenType.lowercased() == "bearer"
    else { throw malformed(head, "no bearer token") }
    let bearer = BearerToken(
      answer.accessToken, expires: answer.expiresIn.map { date.addingTimeInterval($0.seconds) })
    let refreshToken = answer.refreshToken.flatMap { $0.isEmpty ? nil : $0 }
    return OAuth2Token(bearer, refreshToken: refreshToken, scope: answer.scope)
  }

  /// Sends a form, and returns the content of a response with status 200.
  ///
  /// - Throws: `OAuth2Error` for any other response.
  func post(
    _ parameters: [String: String?], to endpoint: URL, hiding secrets: [String] = []
  ) async throws -> (content: Data, head: ResponseHead) {
    let (content, head) = try await send(request(parameters, to: endpoint))
    let hidden =
      (secrets + [secret].compactMap(\.self)).flatMap { [$0, Self.formEncoded($0)] } + [basic].compactMap(\.self)
    if head.status.code != 200 || TokenAnswer.read(content) == nil,
      let answer = ErrorAnswer.read(content), answer.isValid
    {
      throw answer.error(head.status.code, hiding: hidden)
    }
    guard head.status.code == 200 else { throw malformed(head, "neither a token nor an error") }
    return (content, head)
  }

  /// The identifier and the secret, as Basic sends them after each was escaped (§2.3.1); nil if they are not sent that way.
  private var basic: String? {
    guard let secret, secretPlace == .authorization else { return nil }
    return Data((Self.formEncoded(id) + ":" + Self.formEncoded(secret)).utf8).base64EncodedString()
  }

  private func request(_ parameters: [String: String?], to endpoint: URL) -> Request {
    var form = parameters.compactMapValues(\.self)
    var request = Request(.post, endpoint)
    if let basic {
      request.headerFields[.authorization] = "Basic " + basic
    } else {
      form["client_id"] = id
      form["client_secret"] = secret
    }
    let pairs = form.sorted { $0.key < $1.key }.map { Self.formEncoded($0.key) + "=" + Self.formEncoded($0.value) }
    request.headerFields[.contentType] = "application/x-www-form-urlencoded"
    request.headerFields[.accept] = "application/json"
    request.body = .text(pairs.joined(separator: "&"))
    request.options.redirectLimit = 0
    request.options.cachePolicy = .noStore
    return request
  }

  func malformed(_ head: ResponseHead, _ lacks: String) -> OAuth2Error {
    // Any other text of the server's could repeat a secret.
    let type = ["text/html", "text/plain", "application/xml", "application/json"].first { type in
      head.headerFields[.contentType]?.lowercased().hasPrefix(type) == true
    }
    let reason = (300..<400).contains(head.status.code) ? ", a redirect, which is not followed" : ""
    return OAuth2Error(
      .malformedResponse, status: head.status.code,
      message: Redaction.name(of: head.url) + " answered \(head.status.code)" + (type.map { " with " + $0 } ?? "")
        + "\(reason): \(lacks).")
  }

  /// Escapes a text for a form.
  private static func formEncoded(_ text: String) -> String {
    PercentEncoding.encoded(text, except: " ").replacing(" ", with: "+")
  }
}

extension OAuth2Client: CustomStringConvertible, CustomReflectable {
  /// The identifier and the endpoint, without the secret.
  public var description: String { "OAuth 2 client \(id) at \(Redaction.name(of: tokenEndpoint))" }

  /// The identifier and the endpoint, without the secret.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
