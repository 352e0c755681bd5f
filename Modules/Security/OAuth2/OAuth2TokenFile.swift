public import CurlewCore
import CurlewStorage
import FoundationEssentials

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
