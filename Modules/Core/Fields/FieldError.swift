public import FoundationEssentials

/// Says why a field value could not be read or written.
///
/// It contains no part of the value, which may be a secret, so it can be logged.
public struct FieldError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The rule that was broken.
  public enum Kind: Sendable, Hashable {
    /// The value does not follow the field's grammar.
    case malformed
    /// A number exceeds 64 signed bits.
    case overflow
    /// Two values that must be equal differ.
    case conflicting
    /// A name that must be unique occurs twice.
    case duplicate
    /// There are more elements than the limit allows.
    case tooMany
    /// The range unit is not `bytes`.
    case unsupportedUnit
    /// The field cannot contain the text.
    case unrepresentable
  }

  /// The rule that was broken.
  public var kind: Kind
  /// The field's name, such as `Content-Range`.
  public var field: String
  /// The offset in UTF-8 bytes at which reading stopped; nil when writing.
  public var offset: Int?

  /// Creates an error about one field.
  public init(_ kind: Kind, field: String, offset: Int? = nil) {
    self.kind = kind
    self.field = field
    self.offset = offset
  }

  /// A sentence that describes the error, without any part of the value.
  public var description: String {
    let place = offset.map { " at byte \($0)" } ?? ""
    switch kind {
    case .malformed: return "The \(field) field is malformed\(place)."
    case .overflow: return "A number in the \(field) field is too large\(place)."
    case .conflicting: return "The values of the \(field) field contradict each other."
    case .duplicate: return "A parameter of the \(field) field occurs twice\(place)."
    case .tooMany: return "The \(field) field has more elements than allowed\(place)."
    case .unsupportedUnit: return "The \(field) field uses a unit other than bytes."
    case .unrepresentable: return "The value cannot be written in a \(field) field."
    }
  }
}

extension FieldError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
