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

  /// The most bytes of the text; 64 MiB by default.
  public var maximumBytes = 64 << 20

  /// The most aliases in the text; 100,000 by default.
  public var maximumAliases = 100_000

  /// The most nodes that aliases and merges may add; 1,000,000 by default.
  ///
  /// Each counts with everything inside it. Aliases share the nodes they refer to; this limit bounds the work of
  /// walking or printing the value.
  public var maximumExpandedNodes = 1_000_000

  /// The most bytes of scalars and tags that aliases may add; 64 MiB by default.
  ///
  /// Each counts with everything inside it. Like ``maximumExpandedNodes``, this bounds the work of walking the value:
  /// 2,000 aliases of a scalar of 1 MB would print 2 GB.
  public var maximumExpandedBytes = 64 << 20

  /// The most bytes of a number; 1024 by default.
  public var maximumNumberBytes = 1024

  /// The defaults, as YAML 1.2 requires.
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
