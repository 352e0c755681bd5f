/// How a table is written as text, and limits for reading it.
///
/// The defaults follow RFC 4180: commas, double quotes, and the same number of fields in all records. Lines are written with CR LF
/// and may be read with LF alone, as most programs write them.
public struct CSVOptions: Sendable, Hashable {
  /// A character that separates fields.
  public enum Delimiter: UInt8, Sendable, Hashable, CaseIterable {
    /// `,` as in RFC 4180.
    case comma = 0x2C
    /// `;`, which programs write in places where the comma separates decimals.
    case semicolon = 0x3B
    /// A tab.
    case tab = 0x09
    /// `|`
    case pipe = 0x7C
  }

  /// The character that separates fields; a comma by default.
  public var delimiter = Delimiter.comma

  /// Whether the first record names the columns; true by default.
  ///
  /// The parameter `header` of a response's media type (`text/csv;header=absent`, RFC 4180 §3) takes precedence.
  public var hasHeader = true

  /// Whether records may have different numbers of fields; false by default (RFC 4180 §2.4).
  public var allowsUnequalRecords = false

  /// The maximum size of a record in bytes, with its quotes and delimiters; 8 MiB by default.
  public var maximumRecordBytes = 8 << 20

  /// The maximum number of fields in a record; 16,384 by default.
  public var maximumFields = 16_384

  /// The maximum number of fields in a table that is read as a whole; 8,388,608 by default.
  ///
  /// An empty field takes one byte of text and 16 bytes of memory. Streams of records have no such limit.
  public var maximumTableFields = 8 << 20

  /// Creates the default options.
  public init() {}
}
