public import FoundationEssentials

/// One JSON text in a stream of several, not yet parsed.
public struct JSONRecord: Sendable, Hashable {
  /// The bytes of the text without its framing.
  public let bytes: Data

  /// The number of the line (JSON Lines) or record (text sequence), from 1.
  public let number: Int

  /// The offset of the first byte in the stream, from 0.
  public let offset: Int
}

/// How JSON texts are delimited in a stream.
public enum JSONFraming: Sendable, Hashable {
  /// One text per line (JSON Lines, NDJSON).
  ///
  /// Lines end with LF or CR LF; the last one may end with the stream.
  case lines
  /// Each text between RS and LF (RFC 7464); it may span several lines.
  case textSequence

  /// Returns the value as one record of such a stream.
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
  /// How a record that contains only white space is handled.
  public enum BlankRecords: Sendable, Hashable {
    /// It is skipped, and counted as a line.
    case skip
    /// It is an error: ``JSONRecordError/Kind/blank``.
    case refuse
  }

  /// How an invalid record is handled.
  ///
  /// It may be blank, too long, truncated, not JSON, or not of the requested type.
  public enum InvalidRecords: Sendable {
    /// The stream ends with the error.
    case stop
    /// The error is reported and the stream continues (RFC 7464 §2.3).
    case skip(@Sendable (JSONRecordError) -> Void)
  }

  /// The maximum size of a record in bytes; 8 MiB by default.
  ///
  /// At most this and one chunk are held in memory.
  public var maximumRecordBytes = 8 << 20

  /// How a blank record is handled; it is skipped by default.
  public var blankRecords = BlankRecords.skip

  /// How an invalid record is handled; by default the stream ends with its error.
  public var invalidRecords = InvalidRecords.stop

  /// How each record is parsed.
  public var parsing = JSONParsingOptions()

  /// Creates the default options.
  public init() {}
}
