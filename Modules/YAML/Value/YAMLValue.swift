/// Any YAML value: kinds as the schema resolves them, mappings in source order, numbers without loss.
///
/// Comments, styles and anchors are not part of it: aliases are replaced by what they refer to, which they share in
/// memory. A value made by the parser is nested no deeper than ``YAMLParsingOptions/maximumDepth``; comparing and
/// writing take no more stack for a deep value than for a flat one. The release of a value recurses, which Swift does:
/// one that is nested by hand tens of thousands of levels deep can exhaust the stack when it is destroyed.
///
/// Equality is that of YAML 1.2 §3.2.1.3: of the same kind and tag, strings by code units, numbers by value, mappings
/// whatever the order of their entries. An integer and a float are never equal.
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
  /// A value with a tag that the schema does not know, as `!celsius 21` or `!!binary R0lG`.
  case tagged(YAMLTagged)
}
