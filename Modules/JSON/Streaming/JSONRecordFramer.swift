public import FoundationEssentials
import Glibc

/// Splits a stream of JSON texts into records; it takes chunks of any size.
///
/// ```swift
/// var framer = JSONRecordFramer(.lines)
/// framer.append(chunk)
/// while let record = try framer.next() { … }   // nil asks for more, or is the end after finish()
/// framer.finish()
/// ```
///
/// It performs no I/O. It holds one chunk, and at most ``JSONRecordOptions/maximumRecordBytes`` of a record that spans
/// chunks. After an error, the next call continues after the faulty record.
public struct JSONRecordFramer: Sendable {
  private let framing: JSONFraming
  private let maximumBytes: Int
  private let refusesBlanks: Bool

  private var chunk = Data()
  /// Where to continue in `chunk`.
  private var position = 0
  /// The start of a record that continues in `chunk`.
  private var partial = Data()
  private var isTooLong = false
  private var isFinished = false
  private var isAtEnd = false
  /// The number of lines or records that are complete.
  private var count = 0
  /// Whether the first separator of a text sequence has not arrived yet.
  private var isBeforeFirst: Bool
  private var recordOffset = 0
  private var streamOffset = 0

  /// Creates a framer at the start of a stream.
  ///
  /// Of `options`, the limit and the rule for blank records apply.
  public init(_ framing: JSONFraming, options: JSONRecordOptions = JSONRecordOptions()) {
    self.framing = framing
    maximumBytes = max(options.maximumRecordBytes, 0)
    refusesBlanks = options.blankRecords == .refuse
    isBeforeFirst = framing == .textSequence
  }

  /// Adds the next bytes of the stream.
  ///
  /// Call it when ``next()`` returns nil, so that only one chunk is held at a time.
  public mutating func append(_ chunk: Data) {
    let rest = self.chunk[position...]
    self.chunk = rest.isEmpty ? chunk : rest + chunk
    position = self.chunk.startIndex
  }

  /// Declares the end of the stream, so that ``next()`` returns the last record.
  public mutating func finish() {
    isFinished = true
  }

  /// Returns the next record; nil when more bytes are needed.
  ///
  /// - Throws: ``JSONRecordError`` for a record that is too long, truncated, not preceded by a separator, or blank
  ///   where that is rejected. Call again to continue after it.
  public mutating func next() throws(JSONRecordError) -> JSONRecord? {
    while let end = nextDelimiter() {
      let piece = chunk[position..<end]
      position = end + 1
      streamOffset += piece.count + 1
      if let record = try close(piece) { return record }
    }
    let piece = chunk[position...]
    position = chunk.endIndex
    streamOffset += piece.count
    guard isFinished, !isAtEnd else {
      absorb(piece)
      return nil
    }
    isAtEnd = true
    return try close(piece)
  }

  private func nextDelimiter() -> Int? {
    chunk[position...].withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, let found = memchr(start, Int32(framing.delimiter), bytes.count) else {
        return nil
      }
      return position + (UnsafeRawPointer(found) - start)
    }
  }

  private mutating func absorb(_ piece: Data) {
    guard !isTooLong else { return }
    guard piece.count <= maximumBytes - partial.count else {
      isTooLong = true
      partial = Data()
      return
    }
    partial.append(piece)
  }

  /// Completes the record whose last bytes are `piece`; nil when it is skipped.
  private mutating func close(_ piece: Data) throws(JSONRecordError) -> JSONRecord? {
    var bytes = piece
    if !partial.isEmpty || isTooLong || piece.count > maximumBytes {
      absorb(piece)
      bytes = partial
    }
    let offset = recordOffset
    let wasTooLong = isTooLong
    let wasBeforeFirst = isBeforeFirst
    partial = Data()
    isTooLong = false
    isBeforeFirst = false
    recordOffset = streamOffset

    let number = count + 1
    let isBlank = !wasTooLong && bytes.isBlank
    if wasBeforeFirst {
      if isBlank { return nil }
      throw JSONRecordError(.missingSeparator, framing: framing, number: number, offset: offset)
    }
    // An empty text between two separators, or after the last line's end, is not a record (RFC 7464 §2.3).
    if bytes.isEmpty, !wasTooLong, framing == .textSequence || isAtEnd { return nil }
    if framing == .lines || !isBlank { count = number }
    if wasTooLong { throw JSONRecordError(.tooLong, framing: framing, number: number, offset: offset) }
    if isBlank {
      if refusesBlanks { throw JSONRecordError(.blank, framing: framing, number: number, offset: offset) }
      return nil
    }
    if framing == .textSequence, bytes.mayBeTruncated {
      throw JSONRecordError(.truncated, framing: framing, number: number, offset: offset)
    }
    if framing == .lines, bytes.last == UInt8(ascii: "\r") { bytes = bytes.dropLast() }
    return JSONRecord(bytes: bytes, number: number, offset: offset)
  }
}

extension Data {
  fileprivate var isBlank: Bool {
    withUnsafeBytes { $0.allSatisfy(\.isJSONWhiteSpace) }
  }

  /// Whether the text is a number or word without white space after it.
  ///
  /// The rest of it may be missing (RFC 7464 §2.4).
  fileprivate var mayBeTruncated: Bool {
    withUnsafeBytes { bytes in
      guard let first = bytes.first(where: { !$0.isJSONWhiteSpace }), let last = bytes.last else { return false }
      let isDelimited = first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "\"")
      return !isDelimited && !last.isJSONWhiteSpace
    }
  }
}

extension UInt8 {
  fileprivate var isJSONWhiteSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
