public import FoundationEssentials

/// Writes records as text, one at a time.
///
/// A field is quoted only when it has to be (RFC 4180 §2.6). A record of one empty field, or of none, is written as `""`, because a
/// blank line is not a record for many readers. Text that a spreadsheet takes for a formula is not changed.
public struct CSVWriter: Sendable, Hashable {
  private let delimiter: UInt8

  /// Creates a writer; only ``CSVOptions/delimiter`` matters.
  public init(options: CSVOptions = CSVOptions()) { delimiter = options.delimiter.rawValue }

  /// Returns a record with CR LF at its end.
  public func record(_ fields: [String]) -> Data {
    guard !fields.allSatisfy(\.isEmpty) || fields.count > 1 else { return Data("\"\"\r\n".utf8) }
    var bytes = Data()
    for (index, field) in fields.enumerated() {
      if index > 0 { bytes.append(delimiter) }
      // A byte order mark at the start of a text would be removed by its reader.
      if field.unicodeScalars.first == "\u{FEFF}" || field.utf8.contains(where: needsQuotes) {
        bytes.append(0x22)
        for byte in field.utf8 {
          if byte == 0x22 { bytes.append(0x22) }
          bytes.append(byte)
        }
        bytes.append(0x22)
      } else {
        bytes.append(contentsOf: field.utf8)
      }
    }
    bytes.append(contentsOf: [0x0D, 0x0A])
    return bytes
  }

  private func needsQuotes(_ byte: UInt8) -> Bool {
    byte == delimiter || byte == 0x22 || byte == 0x0A || byte == 0x0D
  }
}
