/// What a YAML parser accepts, and the limits it enforces.
public struct YAMLParsingOptions: Sendable, Hashable {
  /// When a plain `<<` key merges the mappings in its value.
  public enum MergeKeys: Sendable, Hashable {
    /// With the schema of YAML 1.1, which defines merging.
    case bySchema
    /// With every schema.
    case always
    /// Never: `<<` is an ordinary key.
    case never
  }

  /// The largest value of ``maximumDepth``.
  ///
  /// Destroying a value recurses; this depth fits on a thread's stack.
  public static let greatestDepth = 4096

  /// Which plain scalars are not strings; those of the core schema by default.
  public var schema = YAMLSchema.core

  /// When `<<` merges; by schema by default.
  ///
  /// The mapping's own keys win, then those of mappings that come earlier.
  public var mergeKeys = MergeKeys.bySchema

  /// The deepest nesting, with aliases expanded, 0 to ``greatestDepth``.
  ///
  /// 512 by default.
  public var maximumDepth: Int {
    get { depth }
    set { depth = min(max(newValue, 0), Self.greatestDepth) }
  }
  private var depth = 512

  /// The maximum size of the text in bytes; 64 MiB by default.
  public var maximumBytes = 64 << 20

  /// The maximum number of aliases in the text; 100,000 by default.
  public var maximumAliases = 100_000

  /// The maximum number of nodes that aliases and merges may add.
  ///
  /// 1,000,000 by default. An alias counts as all nodes inside the node that it refers to. Although aliases share nodes in
  /// memory, walking or printing the value visits a node once per alias; this limit bounds that work.
  public var maximumExpandedNodes = 1_000_000

  /// The maximum number of bytes of scalars and tags that aliases may add.
  ///
  /// 64 MiB by default. An alias counts as all scalars and tags inside the node that it refers to. Like
  /// ``maximumExpandedNodes``, this bounds the work of walking the value: 2,000 aliases of a scalar of 1 MB would print 2 GB.
  public var maximumExpandedBytes = 64 << 20

  /// The maximum length of a number in bytes; 1024 by default.
  public var maximumNumberBytes = 1024

  /// Creates the default options, which follow YAML 1.2.
  public init() {}

  /// Whether a plain `<<` merges.
  var mergesKeys: Bool {
    switch mergeKeys {
    case .bySchema: schema == .yaml11
    case .always: true
    case .never: false
    }
  }
}

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
