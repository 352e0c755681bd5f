import CurlewJSON
import FoundationEssentials

/// One line of the output of `decode`.
///
/// It may be produced while it is written, so that the text of a large document is never in memory as a whole.
struct DecodedLine: Sendable {
  private let body: @Sendable (inout LineWriter) throws -> Void

  /// Creates a line from text.
  init(_ text: String) { body = { try $0.put(text) } }

  /// Creates a line that is produced while it is written.
  init(_ body: @escaping @Sendable (inout LineWriter) throws -> Void) { self.body = body }

  /// Writes the line to standard output.
  ///
  /// - Parameters:
  ///   - end: The text after the line.
  ///   - layout: Lays the line out for a terminal; nil writes it unchanged.
  /// - Throws: `StreamError` when the reader has gone or the disk is full.
  func print(end: String = "\n", layout: JSONLayout? = nil) throws {
    var writer = LineWriter(layout: layout)
    try body(&writer)
    try writer.put(end)
    try writer.flush()
  }
}

/// Writes text to standard output in pieces of 64 KiB.
struct LineWriter {
  private static let pieceBytes = 65_536
  private var bytes: [UInt8] = []
  private var layout: JSONLayout?

  /// - Parameter layout: Lays out the text; nil leaves it unchanged.
  init(layout: JSONLayout? = nil) { self.layout = layout }

  /// Adds text.
  mutating func put(_ text: String) throws {
    if layout != nil { layout?.append(text, to: &bytes) } else { bytes.append(contentsOf: text.utf8) }
    if bytes.count >= Self.pieceBytes { try flush() }
  }

  /// Adds text as a JSON string.
  mutating func putString(_ text: String) throws {
    if layout != nil || text.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") })
    {
      try put(JSONValue.string(text).text())
    } else {
      bytes.append(UInt8(ascii: "\""))
      try put(text)
      bytes.append(UInt8(ascii: "\""))
    }
  }

  /// Writes the text that was added.
  mutating func flush() throws {
    // Safe because the bytes are read inside the call only.
    try bytes.withUnsafeBytes { try StandardOutput.write($0) }
    bytes.removeAll(keepingCapacity: true)
  }
}
