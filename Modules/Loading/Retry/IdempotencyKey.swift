public import CurlewCore
import FoundationEssentials
import HTTPTypes

/// Tells a server that two requests are the same one (draft-ietf-httpapi-idempotency-key-header).
public enum IdempotencyKey {
  /// A key that nobody else has: a random UUID as a quoted string, which is how the field carries it.
  @Sendable public static func random() -> String { "\"\(UUID().uuidString.lowercased())\"" }

  private static let name = HTTPField.Name("Idempotency-Key")

  /// The key a request carries; nil when it carries none.
  public static func of(_ request: Request) -> String? { name.flatMap { request.headerFields[$0] } }

  /// Puts a key into a request, in place of another.
  static func set(_ key: String, in request: inout Request) {
    guard let name else { return }
    request.headerFields[name] = key
  }
}
