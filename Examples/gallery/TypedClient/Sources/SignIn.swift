import Curlew
import FoundationEssentials
import Synchronization

/// Fetches access tokens with a refresh token that changes with each use (RFC 6749 §6).
final class SignIn: Sendable {
  private struct Grant: Decodable, Sendable {
    var accessToken: String
    var refreshToken: String
    var lifetime: Double

    enum CodingKeys: String, CodingKey {
      case accessToken = "access_token"
      case refreshToken = "refresh_token"
      case lifetime = "expires_in"
    }
  }

  private let session: HTTPSession
  private let refreshToken: Mutex<String>

  /// Creates a sign-in; `session` sends its requests without a token.
  init(_ session: HTTPSession, refreshToken: String) {
    self.session = session
    self.refreshToken = Mutex(refreshToken)
  }

  /// Returns a new access token, and keeps the new refresh token. A real app also writes it to its keychain.
  ///
  /// `TokenSource` never calls it twice at once, so no refresh token is used twice.
  func renew() async throws -> BearerToken {
    let old = refreshToken.withLock { $0 }
    let grant: Grant = try await session.post(
      "token", .form(["grant_type": "refresh_token", "refresh_token": .string(old)]))
    refreshToken.withLock { $0 = grant.refreshToken }
    return BearerToken(grant.accessToken, expires: Date(timeIntervalSinceNow: grant.lifetime))
  }
}
