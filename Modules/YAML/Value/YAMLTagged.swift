/// A value with a tag of an application, which readers that do not know the tag see through.
public struct YAMLTagged: Sendable, Hashable {
  /// The tag: local with its `!`, as `!celsius`, or a URI, as `tag:yaml.org,2002:binary`.
  public var tag: String { storage.tag }

  /// What is tagged; never a tagged value itself.
  public var value: YAMLValue { storage.value }

  /// Boxed, so that tags make no other value larger.
  private final class Storage: Sendable {
    let tag: String
    let value: YAMLValue

    init(tag: String, value: YAMLValue) {
      self.tag = tag
      self.value = value
    }
  }

  private let storage: Storage

  /// Tags a value; a tag that it has already is replaced.
  ///
  /// - Returns: nil when `tag` is empty or `!`, holds a control character, or is one that the kind of a value implies,
  ///   as `tag:yaml.org,2002:int`.
  public init?(_ tag: String, _ value: YAMLValue) {
    guard !tag.isEmpty, tag != CoreTag.nonSpecific, !CoreTag.implied.contains(tag) else { return nil }
    guard tag.unicodeScalars.allSatisfy({ $0.value > 0x20 && !(0x7F...0x9F).contains($0.value) }) else { return nil }
    storage = Storage(tag: tag, value: value.untagged)
  }

  /// True when tags and values are equal.
  public static func == (left: YAMLTagged, right: YAMLTagged) -> Bool {
    YAMLValue.tagged(left) == YAMLValue.tagged(right)
  }

  /// Feeds tag and value.
  public func hash(into hasher: inout Hasher) {
    YAMLValue.tagged(self).hash(into: &hasher)
  }
}

/// The tags of the schemas (YAML 1.2 §10).
enum CoreTag {
  static let prefix = "tag:yaml.org,2002:"
  static let null = prefix + "null"
  static let bool = prefix + "bool"
  static let int = prefix + "int"
  static let float = prefix + "float"
  static let string = prefix + "str"
  static let sequence = prefix + "seq"
  static let mapping = prefix + "map"
  static let binary = prefix + "binary"
  static let merge = prefix + "merge"
  /// Says of a scalar that it is a string, and nothing of a collection.
  static let nonSpecific = "!"

  /// What a value's kind says already.
  static let implied: Set<String> = [null, bool, int, float, string, sequence, mapping, merge]
}
