public import FoundationEssentials

/// The error for credentials that cannot be read.
public struct AWSCredentialsError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of failure; more may be added.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The name of the kind.
    public var rawValue: String
    /// Creates a kind from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The environment or the file has no credentials.
    public static let missing = Kind(rawValue: "missing")
    /// The file cannot be read.
    public static let unreadableFile = Kind(rawValue: "unreadable-file")
    /// The credentials contain characters that cannot be sent.
    public static let malformed = Kind(rawValue: "malformed")
  }

  /// The kind of failure.
  public let kind: Kind
  /// A sentence about the failure, without secrets.
  public let message: String

  static func missing(_ message: String) -> AWSCredentialsError {
    AWSCredentialsError(kind: .missing, message: message)
  }

  static func unreadable(_ message: String) -> AWSCredentialsError {
    AWSCredentialsError(kind: .unreadableFile, message: message)
  }

  /// The message.
  public var description: String { message }
}

extension AWSCredentialsError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
