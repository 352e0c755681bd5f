/// Any JSON value without loss: numbers keep their digits, objects their order.
///
/// A parsed value is nested no deeper than ``JSONParsingOptions/maximumDepth``. Comparing, hashing, writing, removing
/// nulls and coding either use no more stack for a deep value than for a flat one, or stop with an error at a depth
/// limit. Only the destruction of a value recurses, because Swift does that: a value nested by hand tens of thousands
/// of levels deep can exhaust the stack when it is destroyed.
///
/// Equality follows JSON: numbers are compared by decimal value, strings and names by code units (RFC 8259 §8.3), and
/// objects regardless of the order of members.
public enum JSONValue: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number, with the digits it was written with.
  case number(JSONNumber)
  /// A string, with its escapes resolved.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object, its members in source order.
  case object(JSONObject)
}
