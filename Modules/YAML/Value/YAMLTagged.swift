/// A value with an application's tag, which other readers ignore.
public struct YAMLTagged: Sendable, Hashable {
  /// The tag: local, as `!celsius`, or a URI, as `tag:yaml.org,2002:binary`.
  public var tag: String { storage.tag }

  /// The tagged value, which is never itself tagged.
  public var value: YAMLValue { storage.value }

  /// The tag and the value, on the heap so that other values stay small.
  private final class Storage: Sendable {
    let tag: String
    let value: YAMLValue

    init(tag: String, value: YAMLValue) {
      self.tag = tag
      self.value = value
    }
  }

  private let storage: Storage

  /// Tags a value; replaces a tag that it already has.
  ///
  /// - Returns: nil when `tag` is empty or `!`, contains a control character, or is implied by the value's kind, as
  ///   `tag:yaml.org,2002:int` is.
  public init?(_ tag: String, _ value: YAMLValue) {
    guard !tag.isEmpty, tag != CoreTag.nonSpecific, !CoreTag.implied.contains(tag) else { return nil }
    guard tag.unicodeScalars.allSatisfy({ $0.value > 0x20 && !(0x7F...0x9F).contains($0.value) }) else { return nil }
    storage = Storage(tag: tag, value: value.untagged)
  }

  /// Returns true when tags and values are equal.
  public static func == (left: YAMLTagged, right: YAMLTagged) -> Bool {
    YAMLValue.tagged(left) == YAMLValue.tagged(right)
  }

  /// Hashes the tag and the value.
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
  /// Makes a scalar a string, and has no effect on a collection.
  static let nonSpecific = "!"

  /// The tags that the kind of a value already implies.
  static let implied: Set<String> = [null, bool, int, float, string, sequence, mapping, merge]
}
