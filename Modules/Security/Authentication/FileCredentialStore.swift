public import CurlewCore
import FoundationEssentials
import Glibc

/// Keeps credentials in a file that only its owner can read.
///
/// The file is JSON in the clear: its mode, 0600, is all that guards it. Each change writes a new file, makes it durable
/// and puts it in the old one's place, so that a crash leaves the old or the new one and a file that others could read
/// does not stay one. One store at a time writes a file: two overwrite each other. Client identities are not kept.
public final class FileCredentialStore: CredentialStore {
  /// The largest file that is read or written, 1 MiB.
  public static let maximumBytes = 1 << 20

  private let path: String
  private let files: any FileSystem
  private let credentials: Guarded<[ProtectionSpace: Credential]>
  /// Held while a file is written, so that an older state never takes the place of a newer one.
  private let writing = Turn()

  /// Opens a store; a file that is not there is an empty one.
  ///
  /// - Throws: `CredentialStoreError` when the file cannot be read, is a symbolic link, or is not one of these.
  public init(path: String, files: any FileSystem = LocalFileSystem()) throws(CredentialStoreError) {
    self.path = path
    self.files = files
    credentials = Guarded(try Self.read(path, files))
  }

  /// The credential of a protection space; nil when there is none.
  public func credential(for space: ProtectionSpace) -> Credential? { credentials.withLock { $0[space] } }

  /// Keeps a credential in place of the one that was there; nil takes it away. Durable when it returns.
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

  private static func read(
    _ path: String, _ files: any FileSystem
  ) throws(CredentialStoreError) -> [ProtectionSpace: Credential] {
    let bytes: Data
    do throws(FileSystemError) {
      let file = try files.open(path, [.read, .noFollow])
      let length = try file.length()
      guard length <= maximumBytes else { throw FileSystemError(code: EFBIG, operation: "read", path: path) }
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(length), alignment: 1)
      defer { buffer.deallocate() }
      bytes = Data(buffer.prefix(try file.read(into: buffer, at: 0)))
      try file.close()
    } catch {
      if error.code == ENOENT { return [:] }
      throw CredentialStoreError(.unreadableFile, "\(path) cannot be read (errno \(error.code)).")
    }
    do {
      let records = try JSONDecoder().decode([CredentialRecord].self, from: bytes)
      return try Dictionary(records.map { try $0.entry() }) { _, last in last }
    } catch {
      // The decoder's own words could quote a secret.
      throw CredentialStoreError(.unreadableFile, "\(path) is no file of credentials.")
    }
  }

  private func write(_ credentials: [ProtectionSpace: Credential]) throws(CredentialStoreError) {
    let records = credentials.compactMap { CredentialRecord($0.key, $0.value) }.sorted { $0.order < $1.order }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let bytes = try? encoder.encode(records), bytes.count <= Self.maximumBytes else {
      throw CredentialStoreError(.tooLarge, "The credentials are larger than 1 MiB.")
    }
    let temporary = path + "." + String(UInt64.random(in: .min ... .max), radix: 36) + ".tmp"
    do throws(FileSystemError) {
      // A new file has mode 0600.
      let file = try files.open(temporary, [.write, .create, .exclusive, .noFollow])
      do throws(FileSystemError) {
        try Self.write(bytes, to: file)
        try file.synchronize()
        try file.close()
        try files.rename(temporary, to: path)
      } catch {
        try? files.remove(temporary)
        throw error
      }
      let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
      try files.synchronizeDirectory(slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ".")
    } catch {
      throw CredentialStoreError(.unwritableFile, "\(path) cannot be written (errno \(error.code)).")
    }
  }

  /// `Data.withUnsafeBytes` forgets what type of error a closure throws.
  private static func write(_ bytes: Data, to file: any OpenFile) throws(FileSystemError) {
    let outcome: Result<Void, FileSystemError> = bytes.withUnsafeBytes { bytes in
      do throws(FileSystemError) {
        return .success(try file.write(bytes, at: 0))
      } catch {
        return .failure(error)
      }
    }
    try outcome.get()
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
