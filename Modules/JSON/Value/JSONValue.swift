/// Any JSON value, without loss: numbers keep their digits and objects their order.
///
/// A value made by the parser is nested no deeper than ``JSONParsingOptions/maximumDepth``, and comparing, hashing,
/// writing, null removal and coding take no more stack for a deep value than for a flat one or stop with an error at a
/// depth limit. The one thing that recurses is the release of a value, which Swift does: a value that is nested by hand
/// tens of thousands of levels deep can exhaust the stack when it is destroyed.
///
/// Equality is that of JSON: numbers by decimal value, strings and names by code units (RFC 8259 §8.3), objects
/// whatever the order of their members.
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
