public import FoundationEssentials

/// One JSON text out of a stream of many, not yet parsed.
public struct JSONRecord: Sendable, Hashable {
  /// The bytes of the text without what frames it.
  public let bytes: Data

  /// In JSON Lines the number of the line; in a text sequence that of the record; from 1.
  public let number: Int

  /// The offset of the first byte in the stream, from 0.
  public let offset: Int
}

/// How JSON texts follow one another in a stream.
public enum JSONFraming: Sendable, Hashable {
  /// One text a line (JSON Lines, NDJSON). Lines end with LF or CR LF, the last one also with the stream.
  case lines
  /// RS before and LF behind each text (RFC 7464), which may have several lines.
  case textSequence

  /// The value as one record of such a stream.
  public func record(_ value: JSONValue) -> Data {
    var record = self == .textSequence ? Data([0x1E]) : Data()
    record.append(value.data())
    record.append(UInt8(ascii: "\n"))
    return record
  }

  var delimiter: UInt8 {
    switch self {
    case .lines: UInt8(ascii: "\n")
    case .textSequence: 0x1E
    }
  }
}

/// Limits and rules for a stream of JSON texts.
public struct JSONRecordOptions: Sendable {
  /// What becomes of a record that holds only white space.
  public enum BlankRecords: Sendable, Hashable {
    /// It is passed over, and counted as a line.
    case skip
    /// It is an error, ``JSONRecordError/Kind/blank``.
    case refuse
  }

  /// What becomes of a record that is blank, too long, truncated, no JSON or not of the type asked for.
  public enum InvalidRecords: Sendable {
    /// The stream ends with the error.
    case stop
    /// The error is told and the stream goes on with the next record, as RFC 7464 §2.3 has it.
    case skip(@Sendable (JSONRecordError) -> Void)
  }

  /// How many bytes a record may have; 8 MiB by default. No more than this and one chunk is held in memory.
  public var maximumRecordBytes = 8 << 20

  /// What becomes of a blank record; it is skipped by default.
  public var blankRecords = BlankRecords.skip

  /// What becomes of an invalid record; the stream ends with its error by default.
  public var invalidRecords = InvalidRecords.stop

  /// How each record is parsed into a value.
  public var parsing = JSONParsingOptions()

  /// The defaults.
  public init() {}
}
