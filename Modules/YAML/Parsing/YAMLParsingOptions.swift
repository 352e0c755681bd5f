/// What a YAML parser accepts and how much of it.
public struct YAMLParsingOptions: Sendable, Hashable {
  /// When a plain `<<` key merges the mappings that are its value.
  public enum MergeKeys: Sendable, Hashable {
    /// Under the schema of YAML 1.1, whose types define it.
    case bySchema
    /// Under every schema.
    case always
    /// Never: it is a key as any other.
    case never
  }

  /// The greatest depth that ``maximumDepth`` can be set to: what a thread's stack can release again.
  public static let greatestDepth = 4096

  /// Which plain scalars are something else than strings; those of the core schema by default.
  public var schema = YAMLSchema.core

  /// When `<<` merges; by schema unless set. Keys of the mapping itself win, then mappings that stand earlier.
  public var mergeKeys = MergeKeys.bySchema

  /// How many sequences and mappings may be open at once, aliases followed; 0 to ``greatestDepth``, 512 by default.
  public var maximumDepth: Int {
    get { depth }
    set { depth = min(max(newValue, 0), Self.greatestDepth) }
  }
  private var depth = 512

  /// How many bytes the text may have; 64 MiB by default.
  public var maximumBytes = 64 << 20

  /// How many aliases the text may have; 100,000 by default.
  public var maximumAliases = 100_000

  /// How many nodes aliases and merges may add, each counted with all within it; 1,000,000 by default.
  ///
  /// Aliases share what they refer to, so this bounds the work of whoever walks through the value, not its memory.
  public var maximumExpandedNodes = 1_000_000

  /// How many bytes a number may have; 1024 by default.
  public var maximumNumberBytes = 1024

  /// The defaults: what YAML 1.2 asks for.
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
