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
  /// Whether the reader stopped at an intact record that is longer than the limit.
  private(set) var isStoppedByLimit = false

  init(_ file: any OpenFile, _ format: JournalFormat, recordLimit: Int) {
    self.file = file
    self.format = format
    self.recordLimit = recordLimit
    end = Int64(JournalFormat.headerLength)
    bufferStart = end
  }

  /// Returns the payload of the next record; nil after the last intact one, and before one that is too long.
  mutating func next() throws(FileSystemError) -> Data? {
    guard let start = try bytes(JournalFormat.recordOverhead, at: end) else { return nil }
    let length = start.withUnsafeBytes { JournalFormat.length($0) }
    guard length <= recordLimit else {
      isStoppedByLimit = try isIntact(start, length)
      return nil
    }
    guard let payload = try bytes(length, at: end + Int64(JournalFormat.recordOverhead)) else { return nil }
    let isWhole = start.withUnsafeBytes { start in payload.withUnsafeBytes { format.accepts(start, $0) } }
    guard isWhole else { return nil }
    end += Int64(JournalFormat.recordOverhead + length)
    return payload
  }

  /// Returns whether the next record is complete and undamaged, without holding it in memory.
  ///
  /// The torn end of a file can announce any length; a record that is whole must not be taken for one.
  private func isIntact(_ start: Data, _ length: Int) throws(FileSystemError) -> Bool {
    var checksum = format.beginningChecksum(UInt32(truncatingIfNeeded: length))
    var offset = end + Int64(JournalFormat.recordOverhead)
    let last = offset + Int64(length)
    while offset < last {
      let piece = try file.data(in: offset..<min(last, offset + Int64(Self.piece)))
      guard !piece.isEmpty else { return false }
      piece.withUnsafeBytes { checksum.update($0) }
      offset += Int64(piece.count)
    }
    return start.withUnsafeBytes { JournalFormat.matches($0, checksum.value) }
  }

  /// Returns whether an intact record follows the damaged one at which reading ended.
  ///
  /// A record's checksum covers that of the record before it, which is in the file even if that record's length or payload
  /// was changed. It holds the rest of the file in memory.
  ///
  /// - Parameter length: The length of the file.
  func hasRecordBehindDamage(upTo length: Int64) throws(FileSystemError) -> Bool {
    let overhead = JournalFormat.recordOverhead
    let rest = try file.data(in: end..<length)
    guard rest.count > overhead else { return false }
    return rest.withUnsafeBytes { rest in
      let damaged = JournalFormat.length(rest)
      var formats = [format.behind(rest, payload: nil)]
      if damaged <= rest.count - overhead {
        formats.append(
          format.behind(rest, payload: UnsafeRawBufferPointer(rebasing: rest[overhead..<(overhead + damaged)])))
      }
      for start in overhead...(rest.count - overhead) {
        let record = UnsafeRawBufferPointer(rebasing: rest[start...])
        let count = JournalFormat.length(record)
        guard count <= min(recordLimit, record.count - overhead) else { continue }
        let payload = UnsafeRawBufferPointer(rebasing: record[overhead..<(overhead + count)])
        for format in formats {
          var format = format
          if format.accepts(record, payload) { return true }
        }
      }
      return false
    }
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
