public import FoundationEssentials

/// The keys with which requests to AWS, or to a server that speaks S3, are signed.
///
/// Descriptions and dumps show the expiry only.
public struct AWSCredentials: Sendable, Hashable {
  /// The identifier of the access key, which each signature names.
  public var accessKeyID: String
  /// The secret key, which is never sent.
  public var secretAccessKey: String
  /// The token of temporary credentials, which is sent with each request; nil for an access key of a user.
  public var sessionToken: String?
  /// When temporary credentials end; nil if that is not known.
  ///
  /// `AWSSignature` keeps credentials with an expiry, and asks for new ones five minutes before it.
  public var expires: Date?

  /// Creates credentials.
  public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil, expires: Date? = nil) {
    self.accessKeyID = accessKeyID
    self.secretAccessKey = secretAccessKey
    self.sessionToken = sessionToken
    self.expires = expires
  }
}

extension AWSCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The expiry, without the keys.
  public var description: String {
    expires.map { "AWS credentials until \($0.timeIntervalSince1970)" } ?? "AWS credentials"
  }

  /// The same as `description`.
  public var debugDescription: String { description }

  /// The expiry, without the keys.
  public var customMirror: Mirror { Mirror(self, children: ["expires": expires as Any]) }
}
