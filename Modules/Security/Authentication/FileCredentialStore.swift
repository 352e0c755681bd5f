public import CurlewCore
import CurlewStorage
import FoundationEssentials

/// Keeps credentials in a file that only its owner can read.
///
/// The file is JSON in the clear: its mode, 0600, is all that guards it. Each change replaces it as a whole and durably
/// (`AtomicFile`), so that a crash leaves the old or the new one, and one that others could read does not stay so. One
/// store at a time writes a file: two overwrite each other. Client identities are not kept.
public final class FileCredentialStore: CredentialStore {
  /// The largest file that is read or written, 1 MiB.
  public static let maximumBytes = 1 << 20

  private let file: AtomicFile
  private let credentials: Guarded<[ProtectionSpace: Credential]>
  /// Held while the file is written, so that an older state never takes the place of a newer one.
  private let writing = Turn()

  /// Opens a store; a file that is not there is an empty one.
  ///
  /// - Throws: `CredentialStoreError` when the file cannot be read or is not one of these.
  public init(path: String, files: any FileSystem = LocalFileSystem()) throws(CredentialStoreError) {
    file = AtomicFile(path, access: .owner, in: files)
    credentials = Guarded(try Self.read(file))
  }

  /// The credential of a protection space; nil when there is none.
  public func credential(for space: ProtectionSpace) -> Credential? { credentials.withLock { $0[space] } }

  /// Keeps a credential in place of the one that was there; nil takes it away.
  ///
  /// It is durable when this returns.
  ///
  /// - Throws: `CredentialStoreError` when it is a client identity, or the file cannot be written; what the store gives
  ///   out is then as before.
  public func set(_ credential: Credential?, for space: ProtectionSpace) async throws {
    if case .identity = credential { throw CredentialStoreError(.unsupportedCredential, "Identities are not kept.") }
    await writing.begin()
    defer { writing.end() }
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
      // The decoder's own words could quote a secret.
      throw CredentialStoreError(.unreadableFile, "\(file.path) is no file of credentials.")
    }
  }

  private func write(_ credentials: [ProtectionSpace: Credential]) throws(CredentialStoreError) {
    let records = credentials.compactMap { CredentialRecord($0.key, $0.value) }.sorted { $0.order < $1.order }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let bytes = try? encoder.encode(records), bytes.count <= Self.maximumBytes else {
      throw CredentialStoreError(.tooLarge, "The credentials are larger than 1 MiB.")
    }
    do throws(FileSystemError) {
      try file.write(bytes)
    } catch {
      throw CredentialStoreError(.unwritableFile, "\(file.path) cannot be written: \(error.reason).")
    }
  }
}

/// Credentials that could not be read or kept.
public struct CredentialStoreError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong. More may come.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The value that stands for it.
    public var rawValue: String
    /// Makes one of the value that stands for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The file cannot be read, or is not one of credentials.
    public static let unreadableFile = Kind(rawValue: "unreadable-file")
    /// The file cannot be written.
    public static let unwritableFile = Kind(rawValue: "unwritable-file")
    /// There are more credentials than a file may hold.
    public static let tooLarge = Kind(rawValue: "too-large")
    /// The credential is of a kind that is not kept.
    public static let unsupportedCredential = Kind(rawValue: "unsupported-credential")
  }

  /// What is wrong.
  public let kind: Kind
  /// One sentence, without secrets.
  public let message: String

  init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// The sentence.
  public var description: String { message }
}
