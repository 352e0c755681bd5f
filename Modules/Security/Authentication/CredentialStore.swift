public import CurlewCore
import CurlewStorage
public import FoundationEssentials

/// A store of credentials by protection space.
///
/// `Authentication` looks here before it asks the app. When `storesAnswers` is set, it also stores the app's answers here.
/// Many tasks call it at once, from any isolation. The credential returned for a space is sent there, so an implementation
/// must never return one that belongs to another origin, realm or scheme.
public protocol CredentialStore: Sendable {
  /// Returns the credential of a protection space, if any.
  func credential(for space: ProtectionSpace) async -> Credential?

  /// Stores a credential, replacing an earlier one; nil removes it.
  ///
  /// - Throws: When the credential cannot be stored.
  func set(_ credential: Credential?, for space: ProtectionSpace) async throws
}

/// A store of credentials in memory.
public final class MemoryCredentialStore: CredentialStore {
  private let credentials: Guarded<[ProtectionSpace: Credential]>

  /// Creates a store with some credentials.
  public init(_ credentials: [ProtectionSpace: Credential] = [:]) { self.credentials = Guarded(credentials) }

  /// Returns the credential of a protection space, if any.
  public func credential(for space: ProtectionSpace) -> Credential? { credentials.withLock { $0[space] } }

  /// Stores a credential, replacing an earlier one; nil removes it.
  public func set(_ credential: Credential?, for space: ProtectionSpace) {
    credentials.withLock { $0[space] = credential }
  }
}

/// A store of credentials in a file that only its owner can read.
///
/// The file is unencrypted JSON; its mode, 0600, is its only protection. Each change replaces the whole file durably
/// (`AtomicFile`): a crash leaves the old file or the new one, and a file that others could read becomes private. Use one
/// store per file, since two would overwrite each other's changes. Client identities and server trust are not stored.
public final class FileCredentialStore: CredentialStore {
  /// The size limit of the file, 1 MiB.
  public static let maximumBytes = 1 << 20

  private let file: AtomicFile
  private let credentials: Guarded<[ProtectionSpace: Credential]>
  /// The lock of the file: an older state must never replace a newer one.
  private let writing = AsyncMutex()

  /// Opens a store; a missing file means an empty store.
  ///
  /// - Throws: `CredentialStoreError` of kind `unreadableFile` when the file cannot be read or holds no credentials.
  public init(_ path: String, in files: any FileSystem = LocalFileSystem()) throws(CredentialStoreError) {
    file = AtomicFile(path, access: .owner, in: files)
    credentials = Guarded(try Self.read(file))
  }

  /// Returns the credential of a protection space; nil if none is stored.
  public func credential(for space: ProtectionSpace) -> Credential? { credentials.withLock { $0[space] } }

  /// Stores a credential, replacing an earlier one; nil removes it.
  ///
  /// The change is durable when this returns.
  ///
  /// - Throws: `CredentialStoreError` of kind `unsupportedCredential` for a client identity or server trust, and of kind
  ///   `unwritableFile` or `tooLarge` when the file cannot be written. The store is then unchanged.
  public func set(_ credential: Credential?, for space: ProtectionSpace) async throws {
    switch credential {
    case .identity, .serverTrust:
      throw CredentialStoreError(
        .unsupportedCredential, "A file of credentials keeps passwords and bearer tokens only.")
    case .password, .bearer, nil: break
    }
    await writing.lock()
    defer { writing.unlock() }
    var changed = credentials.withLock { $0 }
    changed[space] = credential
    try write(changed)
    credentials.withLock { [changed] in $0 = changed }
  }

  private static func read(_ file: AtomicFile) throws(CredentialStoreError) -> [ProtectionSpace: Credential] {
    let bytes: Data
    do throws(FileSystemError) {
      guard let content = try file.read(upTo: maximumBytes) else { return [:] }
      bytes = content
    } catch {
      throw CredentialStoreError(.unreadableFile, "\(file.path) cannot be read: \(error.reason).")
    }
    do {
      let records = try JSONDecoder().decode([CredentialRecord].self, from: bytes)
      return try Dictionary(records.map { try $0.entry() }) { _, last in last }
    } catch {
      // The message of the decoder could quote a secret.
      throw CredentialStoreError(.unreadableFile, "\(file.path) is not a file of credentials.")
    }
  }

  private func write(_ credentials: [ProtectionSpace: Credential]) throws(CredentialStoreError) {
    let records = credentials.compactMap { CredentialRecord($0.key, $0.value) }.sorted { $0.order < $1.order }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let bytes = try? encoder.encode(records), bytes.count <= Self.maximumBytes else {
      throw CredentialStoreError(.tooLarge, "The credentials need more than 1 MiB, the size limit of the file.")
    }
    do throws(FileSystemError) {
      try file.write(bytes)
    } catch {
      throw CredentialStoreError(.unwritableFile, "\(file.path) cannot be written: \(error.reason).")
    }
  }
}

/// The error of a store whose file cannot be read or written.
public struct CredentialStoreError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of failure; more may be added.
  public struct Kind: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The name of the kind.
    public var rawValue: String
    /// Creates a kind from its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The value.
    public var description: String { rawValue }

    /// The file cannot be read, or is not a file of credentials.
    public static let unreadableFile = Kind(rawValue: "unreadable-file")
    /// The file cannot be written.
    public static let unwritableFile = Kind(rawValue: "unwritable-file")
    /// The credentials need more than `maximumBytes`.
    public static let tooLarge = Kind(rawValue: "too-large")
    /// Credentials of this kind are not stored.
    public static let unsupportedCredential = Kind(rawValue: "unsupported-credential")
  }

  /// The kind of failure.
  public let kind: Kind
  /// A sentence about the failure, without secrets.
  public let message: String

  init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// A sentence that says what to do; nil if nothing is known.
  public var advice: String? {
    switch kind {
    case .unreadableFile:
      "Check who may read the file. If it is damaged, restore it, or remove it to begin without credentials."
    case .unwritableFile: "Check the file's directory, and who may write there."
    case .tooLarge: "Remove credentials that are not used any more."
    default: nil
    }
  }

  /// The message and the advice.
  public var description: String { advice.map { "\(message) \($0)" } ?? message }
}

extension CredentialStoreError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
  /// The advice, which the description contains.
  public var recoverySuggestion: String? { advice }
}

/// The form in which a file holds one credential.
struct CredentialRecord: Codable {
  var scheme: String
  var host: String
  var port: Int
  var isProxy: Bool
  var authentication: String
  var realm: String?
  var user: String?
  var password: String?
  var token: String?

  /// Creates a record, or returns nil for client identities and server trust.
  ///
  /// A file holds neither.
  init?(_ space: ProtectionSpace, _ credential: Credential) {
    scheme = space.origin.scheme.rawValue
    host = space.origin.host
    port = space.origin.port
    isProxy = space.isProxy
    authentication = space.scheme
    realm = space.realm
    switch credential {
    case .password(let user, let password): (self.user, self.password) = (user, password)
    case .bearer(let token): self.token = token
    case .identity, .serverTrust: return nil
    }
  }

  /// The sort key, which makes files with equal credentials equal byte by byte.
  var order: String { "\(scheme)://\(host):\(port) \(isProxy) \(authentication) \(realm ?? "")" }

  /// Returns the space and the credential.
  ///
  /// - Throws: `Incomplete` when a member is missing or invalid.
  func entry() throws -> (ProtectionSpace, Credential) {
    guard let scheme = Origin.Scheme(rawValue: scheme),
      let origin = try? Origin(scheme: scheme, host: host, port: port)
    else { throw Incomplete() }
    let space = ProtectionSpace(origin: origin, isProxy: isProxy, scheme: authentication, realm: realm)
    if let token { return (space, .bearer(token: token)) }
    guard let user, let password else { throw Incomplete() }
    return (space, .password(user: user, password: password))
  }

  /// The error for a record that lacks a member.
  struct Incomplete: Error {}
}
