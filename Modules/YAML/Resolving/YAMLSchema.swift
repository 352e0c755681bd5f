/// Which plain scalars resolve to something other than a string.
public enum YAMLSchema: String, Sendable, Hashable, CaseIterable {
  /// None: every scalar is a string (YAML 1.2 §10.1).
  case failsafe
  /// `null`, `true`, `false` and JSON's numbers (YAML 1.2 §10.2).
  case json
  /// JSON's kinds in more spellings: `~`, `True`, `0x1F`, `.inf` (YAML 1.2 §10.3).
  ///
  /// This is the usual schema.
  case core
  /// YAML 1.1's types.
  ///
  /// They also include `yes`, `off`, `0b1`, `0777`, `1_000` and `1:30`, and `<<` merges.
  ///
  /// As in other libraries, `y` and `n` are strings, and so are timestamps.
  case yaml11 = "1.1"
}
