public import FoundationEssentials

/// A violation of CBOR's syntax or of a limit, and its position.
public struct CBORError: Error, Sendable, Hashable {
  /// The class of a failure; later versions may add more.
  public struct Kind: Sendable, Hashable {
    let reason: String

    /// There are no bytes.
    public static let empty = Kind(reason: "there are no bytes; expected a data item")
    /// The bytes end inside the item.
    public static let unexpectedEnd = Kind(reason: "the bytes end before the data item is complete")
    /// Something follows the item.
    public static let trailingContent = Kind(reason: "expected the end after the data item")
    /// The initial byte has a reserved value: 28 to 30 in its low bits, or 31 where no indefinite length exists.
    public static let reservedInitialByte = Kind(reason: "found a reserved initial byte")
    /// A break stands where no item of indefinite length can end.
    public static let unexpectedBreak = Kind(reason: "found a break outside an item of indefinite length")
    /// A chunk of a string of indefinite length is not a string of the same type and of definite length.
    public static let invalidChunk = Kind(
      reason: "expected a chunk of the same type and of definite length in a string of indefinite length")
    /// A simple value below 32 is written in two bytes (RFC 8949 §3.3).
    public static let invalidSimpleValue = Kind(reason: "found a simple value below 32 in two bytes")
    /// Text is not UTF-8.
    public static let invalidUTF8 = Kind(reason: "found text that is not UTF-8")
    /// A map has two entries with the same key (RFC 8949 §5.6).
    public static let duplicateKey = Kind(reason: "the map already has an entry with this key")
    /// The encoding is not the deterministic one, which the options require (RFC 8949 §4.2.1).
    public static let notDeterministic = Kind(
      reason: "the encoding is not deterministic; expected the shortest forms and sorted keys")
    /// Items are nested deeper than ``CBOROptions/maximumDepth``, or keys of maps stand more than 8 levels deep inside keys.
    public static let tooDeep = Kind(reason: "the item is nested deeper than allowed")
    /// There are more items than ``CBOROptions/maximumItems``.
    public static let tooManyItems = Kind(reason: "there are more data items than allowed")
    /// A key that is text has more than 1,024 combining marks in a row, so that comparing it would take very long.
    public static let tooManyMarks = Kind(reason: "the key has more than 1,024 combining marks in a row")
    /// A string is longer than ``CBOROptions/maximumStringBytes``.
    public static let stringTooLong = Kind(reason: "the string is longer than allowed")
  }

  /// The class of the failure.
  public let kind: Kind
  /// The offset of the item's first byte, from 0; the number of bytes if they end early.
  public let offset: Int

  init(_ kind: Kind, at offset: Int) {
    self.kind = kind
    self.offset = offset
  }
}

extension CBORError: CustomStringConvertible {
  /// The offset and the reason in one sentence, without any part of the bytes.
  public var description: String { "byte \(offset): \(kind.reason)" }
}

extension CBORError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
