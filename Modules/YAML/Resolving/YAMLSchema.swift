/// Which plain scalars are something else than strings.
public enum YAMLSchema: String, Sendable, Hashable, CaseIterable {
  /// None: every scalar is a string (YAML 1.2 §10.1).
  case failsafe
  /// `null`, `true`, `false` and JSON's numbers; what is none of them is a string (YAML 1.2 §10.2).
  case json
  /// JSON's with more spellings, as `~`, `True`, `0x1F`, `.inf` (YAML 1.2 §10.3); the one to use.
  case core
  /// YAML 1.1's types: also `yes`, `off`, `0b1`, `0777`, `1_000`, `1:30`, and `<<` merges.
  ///
  /// As with other libraries, `y` and `n` are strings, and so are timestamps.
  case yaml11 = "1.1"
}
