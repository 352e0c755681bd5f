/// Limits and rules for reading CBOR.
public struct CBOROptions: Sendable, Hashable {
  /// The deepest nesting of arrays, maps and tags; 512 by default.
  ///
  /// More than 512 has no effect. A key of a map may itself contain maps with keys; such keys are at most 8 levels deep, because
  /// each level compares all of its key.
  public var maximumDepth = CBOROptions.deepest

  /// The maximum number of items in all; 4,194,304 by default.
  ///
  /// An item takes one byte or more, and about 20 bytes of memory.
  public var maximumItems = 4 << 20

  /// The maximum size of a string in bytes; 64 MiB by default.
  public var maximumStringBytes = 64 << 20

  /// Whether only the deterministic encoding is accepted (RFC 8949 §4.2.1); false by default.
  public var requiresDeterministicEncoding = false

  /// Creates the default options.
  public init() {}

  /// The depth that the reader's recursion is limited to.
  static let deepest = 512

  /// How deep keys may stand inside keys, in what is read and written.
  static let deepestKeys = 8
}
