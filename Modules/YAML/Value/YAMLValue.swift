/// Any YAML value, with mappings in source order and numbers without loss.
///
/// The schema determines the kinds of scalars. Comments, styles and anchors are not part of a value: an alias is
/// replaced by the node it refers to, which is shared in memory. A parsed value is nested no deeper than
/// ``YAMLParsingOptions/maximumDepth``; comparing and writing use no more stack for a deep value than for a flat one.
/// Destroying a value recurses, because Swift does that: a value nested by hand tens of thousands of levels deep can
/// exhaust the stack when it is destroyed.
///
/// Equality follows YAML 1.2 §3.2.1.3: values must have the same kind and tag; strings are compared by code units,
/// numbers by value, and mappings regardless of the order of their entries. An integer never equals a float.
public enum YAMLValue: Sendable {
  /// `null`, `~` or nothing.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// An integer of any size.
  case int(YAMLInteger)
  /// A number with a fraction or an exponent, an infinity, or not a number.
  case float(YAMLFloat)
  /// A string.
  case string(String)
  /// A sequence.
  case sequence([YAMLValue])
  /// A mapping, its entries in source order.
  case mapping(YAMLMapping)
  /// A value with a tag that the schema does not know, such as `!celsius 21`.
  case tagged(YAMLTagged)
}
