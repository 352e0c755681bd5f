public import FoundationEssentials
import Glibc

/// Splits chunks of any size into lines that end with LF, CR or CR LF.
///
/// ```swift
/// var splitter = LineSplitter()
/// splitter.append(chunk)
/// while let line = try splitter.next() { print(String(decoding: line, as: UTF8.self)) }
/// ```
///
/// It performs no I/O, and holds one chunk and at most `maximumBytes` of a line that spans chunks. A CR ends its line at once;
/// an LF that follows it, even in the next chunk, belongs to the same line end.
public struct LineSplitter: Sendable {
  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  private let maximumBytes: Int
  private var chunk = Data()
  /// The position in `chunk` at which to continue.
  private var position = 0
  /// The index of the next LF; `Int.max` if there is none.
  ///
  /// A value below `position` means that the next LF was not searched for yet. The same applies to CR.
  private var nextLineFeed = -1
  private var nextCarriageReturn = -1
  /// The start of a line that continues in `chunk`.
  private var partial = Data()
  private var skipsLineFeed = false
  private var skipsLine = false
  private var isFinished = false

  /// The number of lines that were returned or refused.
  public private(set) var count = 0

  /// Creates a splitter at the start of a stream.
  ///
  /// - Parameter maximumBytes: The most bytes of a line without its end, 0 or more; 1 MiB by default.
  public init(maximumBytes: Int = 1 << 20) { self.maximumBytes = max(0, maximumBytes) }

  /// Adds the next bytes of the stream.
  ///
  /// Call it when `next()` has returned nil, so that one chunk is held at a time.
  public mutating func append(_ bytes: Data) {
    chunk = position < chunk.endIndex ? chunk[position...] + bytes : bytes
    position = chunk.startIndex
    nextLineFeed = -1
    nextCarriageReturn = -1
  }

  /// Declares the end of the stream.
  ///
  /// `next()` then also returns a last line without a line end.
  public mutating func finish() { isFinished = true }

  /// Returns the next line without its end; nil if there is none yet.
  ///
  /// Nil also at the end of the stream.
  ///
  /// - Throws: `LineTooLongError` as soon as a line is longer than `maximumBytes`. The next call continues after that line.
  public mutating func next() throws(LineTooLongError) -> Data? {
    while true {
      if skipsLineFeed, position < chunk.endIndex {
        skipsLineFeed = false
        if chunk[position] == Self.lineFeed { position += 1 }
      }
      guard let end = nextEnd() else { return try rest() }
      let piece = chunk[position..<end]
      skipsLineFeed = chunk[end] == Self.carriageReturn
      position = end + 1
      if skipsLine {
        skipsLine = false
        continue
      }
      return try line(endingWith: piece)
    }
  }

  /// Stores the rest of the chunk, which is not a complete line.
  private mutating func rest() throws(LineTooLongError) -> Data? {
    let piece = chunk[position...]
    position = chunk.endIndex
    guard !skipsLine else { return nil }
    if isFinished {
      return piece.isEmpty && partial.isEmpty ? nil : try line(endingWith: piece)
    }
    guard piece.count <= maximumBytes - partial.count else {
      skipsLine = true
      throw refusal()
    }
    partial.append(piece)
    return nil
  }

  private mutating func line(endingWith piece: Data) throws(LineTooLongError) -> Data {
    guard piece.count <= maximumBytes - partial.count else { throw refusal() }
    count += 1
    if partial.isEmpty { return piece }
    partial.append(piece)
    defer { partial = Data() }
    return partial
  }

  private mutating func refusal() -> LineTooLongError {
    count += 1
    partial = Data()
    return LineTooLongError(number: count, limit: maximumBytes)
  }

  /// Returns the index of the next LF or CR in the chunk.
  private mutating func nextEnd() -> Int? {
    if nextLineFeed < position { nextLineFeed = index(of: Self.lineFeed) }
    if nextCarriageReturn < position { nextCarriageReturn = index(of: Self.carriageReturn) }
    let end = min(nextLineFeed, nextCarriageReturn)
    return end == Int.max ? nil : end
  }

  private func index(of byte: UInt8) -> Int {
    chunk[position...].withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, let found = memchr(start, Int32(byte), bytes.count) else { return Int.max }
      return position + (UnsafeRawPointer(found) - start)
    }
  }
}

/// The error for a line that exceeds the limit.
public struct LineTooLongError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The number of the line, from 1.
  public let number: Int
  /// The most bytes that a line may have.
  public let limit: Int

  /// A phrase with the line and the limit.
  public var description: String { "line \(number) is longer than \(limit) bytes" }
}

extension LineTooLongError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
