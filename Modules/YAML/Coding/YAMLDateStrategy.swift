/// How dates stand in YAML values.
public enum YAMLDateStrategy: Sendable, Hashable {
  /// As text in the format of ISO 8601, in UTC, as `2026-11-21T08:00:00Z`.
  case iso8601
  /// As the number of seconds since 1970.
  case secondsSince1970
}
