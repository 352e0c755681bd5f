public import CurlewCore

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
