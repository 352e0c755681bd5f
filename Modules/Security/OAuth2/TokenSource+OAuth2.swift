public import CurlewCore
import FoundationEssentials

extension TokenSource {
  /// Creates a source that gets tokens for the client itself (RFC 6749 §4.4).
  ///
  /// - Parameters:
  ///   - urls: Whole URLs, such as an API's base URL; their origins are sent the token.
  ///   - client: Gets the tokens.
  /// - Throws: `NetworkError` of kind `invalidURL` for a text that has no origin. A request without a token fails with
  ///   `authenticationFailed`, whose underlying error is the `OAuth2Error`.
  public convenience init(for urls: [String], clientCredentials client: OAuth2Client) throws(NetworkError) {
    try self.init(for: urls) { _ in try await client.clientCredentials().bearer }
  }

  /// Creates a source that renews a user's token with its refresh token (RFC 6749 §6).
  ///
  /// If the server gives another refresh token, it takes the place of the old one, and is in the file before the new token is sent. If the
  /// file cannot be written, the token is used all the same, and the next renewal writes the file. A token that another process has put into
  /// the file is used instead of a renewal. If two processes renew at the same moment, a server that takes a refresh token only once refuses
  /// one of them, which then takes the other's token from the file.
  ///
  /// ```swift
  /// let file = OAuth2TokenFile("/home/wader/.birds-token")
  /// if try file.read() == nil { try file.write(await client.login(at: device) { code in print(code) }) }
  /// let tokens = try TokenSource(for: ["https://api.example.com"], refreshing: client, keptIn: file)
  /// ```
  ///
  /// - Parameters:
  ///   - urls: Whole URLs, such as an API's base URL; their origins are sent the token.
  ///   - client: Renews the token.
  ///   - token: The first token, such as that of a login; it replaces the one in the file. Nil reads the file.
  ///   - file: Keeps the token between runs; nil keeps it in memory only.
  /// - Throws: `NetworkError` of kind `invalidURL` for a text that has no origin; `CredentialStoreError` when the file cannot be read or
  ///   written. A request without a token fails with `authenticationFailed`, whose underlying error is the `OAuth2Error`: of kind `invalidGrant` when
  ///   the user has to sign in again.
  public convenience init(
    for urls: [String], refreshing client: OAuth2Client, token: OAuth2Token? = nil, keptIn file: OAuth2TokenFile? = nil
  ) throws {
    if let token { try file?.write(token) }
    let first = try token ?? file?.read()
    let held = HeldToken(first, file, client)
    try self.init(for: urls, token: first?.bearer) { last in try await held.renew(after: last) }
  }
}

/// The token of a source with its refresh token, in memory and in a file.
private final class HeldToken: Sendable {
  private struct State {
    var token: OAuth2Token?
    /// Whether the file has the token, or a newer one of another process.
    var isSaved = true
  }

  private let state: Guarded<State>
  private let file: OAuth2TokenFile?
  private let client: OAuth2Client

  init(_ token: OAuth2Token?, _ file: OAuth2TokenFile?, _ client: OAuth2Client) {
    state = Guarded(State(token: token))
    self.file = file
    self.client = client
  }

  /// Returns a token other than the last one.
  func renew(after last: BearerToken?) async throws -> BearerToken {
    if let other = try other(than: last), !isOver(other) { return other.bearer }
    guard let refreshToken = state.withLock({ $0.token?.refreshToken }) else {
      throw OAuth2Error(.invalidGrant, status: nil, message: "There is no refresh token, so sign in again.")
    }
    do {
      return save(try await client.refresh(refreshToken)).bearer
    } catch let error as OAuth2Error where error.kind == .invalidGrant {
      // Another process has just used the refresh token, and got another one for it.
      guard let other = try other(than: last), !isOver(other) else { throw error }
      return other.bearer
    }
  }

  /// Takes the token that another process has put into the file; nil if there is none.
  private func other(than last: BearerToken?) throws -> OAuth2Token? {
    let (held, isSaved) = state.withLock { ($0.token, $0.isSaved) }
    guard let file, isSaved else { return nil }
    // A file that has been damaged since does not matter as long as the token is in memory.
    guard let stored = try held == nil ? file.read() : try? file.read() else { return nil }
    // Its refresh token is the newest, also if the app has written a login to the file and set its bearer token.
    state.withLock { $0.token = stored }
    return stored.bearer.value == last?.value ? nil : stored
  }

  private func save(_ token: OAuth2Token) -> OAuth2Token {
    let isSaved = file.map { (try? $0.write(token)) != nil } ?? true
    state.withLock { $0 = State(token: token, isSaved: isSaved) }
    return token
  }

  private func isOver(_ token: OAuth2Token) -> Bool {
    token.bearer.expires.map { $0 <= client.clock.date } ?? false
  }
}
