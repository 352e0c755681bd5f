/// The vocabulary of structured field values (RFC 9651).
///
/// A field that is "structured" is one of three things: an ``Item``, a ``List`` or a ``Dictionary``. Each reads itself
/// from the lines of a field with the strict algorithms of RFC 9651 §4.2 and writes itself with those of §4.1, so two
/// implementations agree on every byte or both refuse. Reading is total: whatever the bytes are, the result is a value
/// or a ``ParseError``; limits bound the work.
///
/// ```swift
/// let priority = try StructuredField.Dictionary(parsing: "u=2, i")
/// if case .item(let item)? = priority["u"], case .integer(let urgency) = item.value { … }
/// let text = try StructuredField.Item(.string("hello")).serialized()
/// ```
///
/// The grammar nests no deeper than an item inside an inner list inside a list, and neither direction recurses, so
/// there is no limit on nesting to set.
public enum StructuredField {
  /// An ordered map of members, each an item or an inner list (RFC 9651 §3.2).
  public typealias Dictionary = KeyedValues<Member>

  /// An ordered map of bare items that qualifies an item or an inner list (RFC 9651 §3.1.2).
  public typealias Parameters = KeyedValues<BareItem>
}
