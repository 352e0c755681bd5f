import CurlewCore
import FoundationEssentials

/// Reads the records of a journal in order, up to the first damaged one.
///
/// It holds one record and one piece of the file in memory, whatever the file's length.
struct JournalReader {
  private static let piece = 65_536

  private let file: any OpenFile
  private let recordLimit: Int
  private var buffer = Data()
  private var bufferStart: Int64
  /// The offset after the last intact record.
  private(set) var end: Int64
  private(set) var format: JournalFormat

  init(_ file: any OpenFile, _ format: JournalFormat, recordLimit: Int) {
    self.file = file
    self.format = format
    self.recordLimit = recordLimit
    end = Int64(JournalFormat.headerLength)
    bufferStart = end
  }

  /// Returns the payload of the next record; nil after the last intact one.
  mutating func next() throws(FileSystemError) -> Data? {
    guard let start = try bytes(JournalFormat.recordOverhead, at: end) else { return nil }
    let length = start.withUnsafeBytes { JournalFormat.length($0) }
    guard length <= recordLimit,
      let payload = try bytes(length, at: end + Int64(JournalFormat.recordOverhead))
    else { return nil }
    let isWhole = start.withUnsafeBytes { start in payload.withUnsafeBytes { format.accepts(start, $0) } }
    guard isWhole else { return nil }
    end += Int64(JournalFormat.recordOverhead + length)
    return payload
  }

  /// Returns bytes at an offset; nil when the file ends before them.
  private mutating func bytes(_ count: Int, at offset: Int64) throws(FileSystemError) -> Data? {
    let inBuffer = Int(offset - bufferStart)
    if inBuffer + count > buffer.count {
      buffer = try file.data(in: offset..<(offset + Int64(max(count, Self.piece))))
      bufferStart = offset
      return buffer.count < count ? nil : Data(buffer.prefix(count))
    }
    return Data(buffer[(buffer.startIndex + inBuffer)..<(buffer.startIndex + inBuffer + count)])
  }
}
