public import FoundationEssentials

/// The error that a token endpoint answers (RFC 6749 §5.2, RFC 8628 §3.5).
public struct OAuth2Error: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of errors; the raw value is the server's word, so there may be others.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The word.
    public var rawValue: String
    /// Creates a kind from its word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The request lacks something, or has something twice.
    public static let invalidRequest = Kind(rawValue: "invalid_request")
    /// The client is unknown, or its secret is wrong.
    public static let invalidClient = Kind(rawValue: "invalid_client")
    /// The refresh token has expired, was revoked or belongs to another client: the user has to sign in again.
    public static let invalidGrant = Kind(rawValue: "invalid_grant")
    /// The client may not use this way to get a token.
    public static let unauthorizedClient = Kind(rawValue: "unauthorized_client")
    /// The server does not know this way to get a token.
    public static let unsupportedGrantType = Kind(rawValue: "unsupported_grant_type")
    /// The scope is unknown, or more than what was granted.
    public static let invalidScope = Kind(rawValue: "invalid_scope")
    /// The user has refused (RFC 8628).
    public static let accessDenied = Kind(rawValue: "access_denied")
    /// The user has not answered in time (RFC 8628).
    public static let expiredToken = Kind(rawValue: "expired_token")
    /// The user has not answered yet (RFC 8628); `login` waits.
    public static let authorizationPending = Kind(rawValue: "authorization_pending")
    /// The client asks too often (RFC 8628); `login` waits longer.
    public static let slowDown = Kind(rawValue: "slow_down")
    /// The answer is neither a token nor an error of OAuth, such as a page of HTML or a redirect.
    public static let malformedResponse = Kind(rawValue: "malformed-response")
  }

  /// The kind of error.
  public let kind: Kind
  /// The status of the response; nil if there was none.
  public let status: Int?
  /// A sentence about the error, with the server's explanation, and without secrets of the request.
  public let message: String
  /// A page about the error, if the server names one.
  public let page: String?

  init(_ kind: Kind, status: Int?, message: String, page: String? = nil) {
    self.kind = kind
    self.status = status
    self.message = message
    self.page = page
  }

  /// A sentence that says what to do; nil if nothing is known.
  public var advice: String? {
    switch kind {
    case .invalidClient: "Check the client's identifier and secret."
    case .invalidGrant: "Let the user sign in again."
    case .unauthorizedClient, .unsupportedGrantType:
      "Let the server's operator allow the client this way to get a token."
    case .invalidScope: "Ask for scopes that the server has and the user has granted."
    case .expiredToken: "Begin the login again."
    case .malformedResponse: "Check the URL of the endpoint."
    default: nil
    }
  }

  /// The message and the advice.
  public var description: String { advice.map { "\(message) \($0)" } ?? message }
}

extension OAuth2Error: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
  /// The advice, which the description contains.
  public var recoverySuggestion: String? { advice }
}
