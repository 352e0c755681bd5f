public import CurlewCore
import CurlewStorage
import FoundationEssentials

/// The answer of a token endpoint (RFC 6749 §5.1): a bearer token, and what renews it.
///
/// Descriptions and dumps show the expiry only, never a token.
public struct OAuth2Token: Sendable, Hashable {
  /// The token that is sent, with its expiry.
  public var bearer: BearerToken
  /// The token that gets the next one; nil if the server gave none. A secret.
  public var refreshToken: String?
  /// What the token allows, in the server's words; nil if it is what the client asked for.
  public var scope: String?

  /// Creates a token.
  public init(_ bearer: BearerToken, refreshToken: String? = nil, scope: String? = nil) {
    self.bearer = bearer
    self.refreshToken = refreshToken
    self.scope = scope
  }
}

extension OAuth2Token: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The expiry, without the tokens.
  public var description: String { bearer.description }

  /// The same as `description`.
  public var debugDescription: String { description }

  /// The expiry and the scope, without the tokens.
  public var customMirror: Mirror {
    Mirror(self, children: ["expires": bearer.expires as Any, "scope": scope as Any])
  }
}

/// A file that keeps one token between runs, which only its owner can read.
///
/// The file is unencrypted JSON; its mode, 0600, is its only protection. Each change replaces the whole file durably: a crash leaves the
/// old token or the new one. Safe from any isolation.
public struct OAuth2TokenFile: Sendable {
  /// The size limit of the file, 64 KiB.
  public static let maximumBytes = 65_536

  private let file: AtomicFile

  private struct Record: Codable {
    var token: String
    var expires: Double?
    var refreshToken: String?
    var scope: String?
  }

  /// Describes a file; nothing is read yet.
  public init(_ path: String, in files: any FileSystem = LocalFileSystem()) {
    file = AtomicFile(path, access: .owner, in: files)
  }

  /// Returns the token; nil if the file does not exist. Blocks.
  ///
  /// - Throws: `CredentialStoreError` of kind `unreadableFile` when it cannot be read or holds no token.
  public func read() throws(CredentialStoreError) -> OAuth2Token? {
    let bytes: Data
    do throws(FileSystemError) {
      guard let content = try file.read(upTo: Self.maximumBytes) else { return nil }
      bytes = content
    } catch {
      throw CredentialStoreError(.unreadableFile, "\(file.path) cannot be read: \(error.reason).")
    }
    // The message of the decoder could quote a secret.
    guard let record = try? JSONDecoder().decode(Record.self, from: bytes), !record.token.isEmpty else {
      throw CredentialStoreError(.unreadableFile, "\(file.path) holds no token; remove it and sign in again.")
    }
    let bearer = BearerToken(record.token, expires: record.expires.map { Date(timeIntervalSince1970: $0) })
    return OAuth2Token(bearer, refreshToken: record.refreshToken, scope: record.scope)
  }

  /// Replaces the token. Blocks, and is durable when it returns.
  ///
  /// - Throws: `CredentialStoreError` of kind `tooLarge` or `unwritableFile`; the old file is then unchanged.
  public func write(_ token: OAuth2Token) throws(CredentialStoreError) {
    let record = Record(
      token: token.bearer.value, expires: token.bearer.expires?.timeIntervalSince1970, refreshToken: token.refreshToken,
      scope: token.scope)
    guard let bytes = try? JSONEncoder().encode(record), bytes.count <= Self.maximumBytes else {
      throw CredentialStoreError(.tooLarge, "The token needs more than 64 KiB, the size limit of the file.")
    }
    do throws(FileSystemError) {
      try file.write(bytes)
    } catch {
      throw CredentialStoreError(.unwritableFile, "\(file.path) cannot be written: \(error.reason).")
    }
  }
}
