import CurlewCore
import CurlewDigests

/// Hashes a body and checks the server's proof, `rspauth` (RFC 7616 §3.5).
// Safe because one thread or task at a time passes the bytes and the end to a tap.
final class RspauthCheck: BodyTap, @unchecked Sendable {
  private let digest: Digest
  private let check: @Sendable (String) throws -> Void

  init(_ digest: Digest, check: @escaping @Sendable (String) throws -> Void) {
    self.digest = digest
    self.check = check
  }

  func receive(_ bytes: UnsafeRawBufferPointer) { digest.update(bytes) }

  func ended(by error: (any Error)?) async throws {
    if error == nil { try check(try digest.finish().hexadecimal) }
  }
}
