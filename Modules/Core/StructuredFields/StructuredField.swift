/// The vocabulary of structured field values (RFC 9651).
///
/// A structured field is an ``Item``, a ``List`` or a ``Dictionary``. Each type parses the lines of a field with the strict
/// algorithms of RFC 9651 §4.2 and serializes itself with those of §4.1, so that all implementations agree on every byte.
/// Parsing any bytes yields either a value or a ``ParseError``, and ``Limits`` bound the work.
///
/// ```swift
/// let priority = try StructuredField.Dictionary(parsing: "u=2, i")
/// if case .item(let item)? = priority["u"], case .integer(let urgency) = item.value { … }
/// let text = try StructuredField.Item(.string("hello")).serialized()
/// ```
///
/// The deepest nesting of the grammar is an item in an inner list in a list, so nesting needs no limit.
public enum StructuredField {
  /// An ordered map of members, each an item or an inner list (RFC 9651 §3.2).
  public typealias Dictionary = KeyedValues<Member>

  /// An ordered map of parameters for an item or an inner list (RFC 9651 §3.1.2).
  public typealias Parameters = KeyedValues<BareItem>
}
