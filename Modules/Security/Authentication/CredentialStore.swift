public import CurlewCore

/// Keeps credentials, each for one protection space.
///
/// `Authentication` looks here before it asks the app, and puts here what the app answered where it is told to. Called
/// from any isolation, by many tasks at once. What it gives for a space is sent there: an implementation must not answer
/// for one origin, realm or scheme with what belongs to another.
public protocol CredentialStore: Sendable {
  /// The credential of a protection space; nil when there is none.
  func credential(for space: ProtectionSpace) async -> Credential?

  /// Keeps a credential in place of the one that was there; nil takes it away.
  ///
  /// - Throws: When it cannot be kept.
  func set(_ credential: Credential?, for space: ProtectionSpace) async throws
}

/// Keeps credentials in memory, as long as it lives itself.
public final class MemoryCredentialStore: CredentialStore {
  private let credentials: Guarded<[ProtectionSpace: Credential]>

  /// Makes a store.
  public init(_ credentials: [ProtectionSpace: Credential] = [:]) { self.credentials = Guarded(credentials) }

  /// The credential of a protection space; nil when there is none.
  public func credential(for space: ProtectionSpace) -> Credential? { credentials.withLock { $0[space] } }

  /// Keeps a credential in place of the one that was there; nil takes it away.
  public func set(_ credential: Credential?, for space: ProtectionSpace) {
    credentials.withLock { $0[space] = credential }
  }
}
