/// How dates are represented in YAML values.
public enum YAMLDateStrategy: Sendable, Hashable {
  /// Text in the format of ISO 8601, in UTC: `2026-11-21T08:00:00Z`.
  case iso8601
  /// The number of seconds since 1970.
  case secondsSince1970
}
