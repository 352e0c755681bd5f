public import CurlewCore
import FoundationEssentials
import HTTPTypes

/// Creates keys that identify repeated requests.
///
/// The field is that of draft-ietf-httpapi-idempotency-key-header.
public enum IdempotencyKey {
  /// Returns a unique key: a random UUID as a quoted string, ready for the field.
  @Sendable public static func random() -> String { "\"\(UUID().uuidString.lowercased())\"" }

  private static let name = HTTPField.Name("Idempotency-Key")

  /// Returns the key of a request; nil when it has none.
  public static func of(_ request: Request) -> String? { name.flatMap { request.headerFields[$0] } }

  /// Sets the key of a request, in place of another.
  static func set(_ key: String, in request: inout Request) {
    guard let name else { return }
    request.headerFields[name] = key
  }
}
