/// Says why a field value could not be read or written.
///
/// It carries no part of the value, so that it can be logged: a field may hold a secret.
public struct FieldError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The rule that was broken.
  public enum Kind: Sendable, Hashable {
    /// The value does not follow the field's grammar.
    case malformed
    /// A number is larger than 64 signed bits can hold.
    case overflow
    /// Two values that must be equal differ.
    case conflicting
    /// A name that may occur once occurs again.
    case duplicate
    /// There are more elements than the limit allows.
    case tooMany
    /// A range unit other than `bytes`.
    case unsupportedUnit
    /// Text that cannot be written in this field.
    case unrepresentable
  }

  /// The rule that was broken.
  public var kind: Kind
  /// The field's name, as `Content-Range`.
  public var field: String
  /// Where reading stopped, in UTF-8 bytes from the start; nil when writing.
  public var offset: Int?

  /// Creates an error about one field.
  public init(_ kind: Kind, field: String, offset: Int? = nil) {
    self.kind = kind
    self.field = field
    self.offset = offset
  }

  /// A sentence without any part of the value.
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
