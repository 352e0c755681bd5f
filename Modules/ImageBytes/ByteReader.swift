/// The byte order of numbers.
enum ByteOrder: Sendable {
  case bigEndian, littleEndian
}

/// Reads a range of a file's bytes, at a position inside that range.
///
/// Every access is checked twice: beyond the declared end of the range the file is malformed, and beyond the available
/// bytes it is truncated. No operation traps, whatever the input. Offsets are counted from the start of the file, not
/// of the range.
struct ByteReader {
  // Safe because readers live only in the closure that lends the bytes, and `require` guards every access.
  private let bytes: UnsafeRawBufferPointer
  /// Whether more of the file may follow the available bytes.
  let isPrefix: Bool
  /// The start of the range.
  let start: Int
  /// The declared end of the range, which may be beyond the available bytes.
  ///
  /// `Int.max` for the whole file.
  let end: Int
  /// The offset of the next number; never beyond `end`.
  private(set) var position: Int
  /// The byte order of numbers.
  var order: ByteOrder

  init(_ bytes: UnsafeRawBufferPointer, isPrefix: Bool, order: ByteOrder = .bigEndian) {
    self.bytes = bytes
    self.isPrefix = isPrefix
    self.order = order
    start = 0
    end = .max
    position = 0
  }

  private init(_ parent: ByteReader, start: Int, end: Int) {
    bytes = parent.bytes
    isPrefix = parent.isPrefix
    order = parent.order
    self.start = start
    self.end = end
    position = start
  }

  /// The number of available bytes of the file.
  var availableBytes: Int { bytes.count }

  /// The number of bytes from the position to the declared end.
  var remaining: Int { end - position }

  /// Whether the position has reached the declared end.
  var isEmpty: Bool { position >= end }

  private func require(_ count: Int, at offset: Int) throws(ImageError) {
    let (upper, overflow) = offset.addingReportingOverflow(count)
    guard count >= 0, offset >= start, !overflow, upper <= end else {
      throw ImageError(.malformed, at: min(max(offset, start), end), "A part exceeds its container.")
    }
    guard upper <= bytes.count else { throw .truncated(at: bytes.count, needing: upper) }
  }

  /// The error for a file that ends where more bytes are required.
  var endedEarly: ImageError { .truncated(at: bytes.count, needing: bytes.count + 1) }

  /// Returns whether the range has bytes after the position.
  ///
  /// Throws when too few bytes are available to tell.
  func hasMore() throws(ImageError) -> Bool {
    if position >= end { return false }
    if position < bytes.count { return true }
    if end == .max, !isPrefix { return false }
    throw .truncated(at: bytes.count, needing: position + 1)
  }

  /// Throws unless all bytes up to the declared end are available.
  func requireAll() throws(ImageError) {
    guard end != .max else { return }
    guard end <= bytes.count else { throw .truncated(at: bytes.count, needing: end) }
  }

  // MARK: Numbers at an offset

  func uint8(at offset: Int) throws(ImageError) -> Int {
    try require(1, at: offset)
    return Int(bytes[offset])
  }

  /// Returns an unsigned number of up to 8 bytes.
  func uint(bytes count: Int, at offset: Int) throws(ImageError) -> UInt64 {
    try require(count, at: offset)
    var value: UInt64 = 0
    var index = 0
    while index < count, index < 8 {
      let byte = UInt64(bytes[offset + index])
      value = order == .bigEndian ? value << 8 | byte : value | byte << UInt64(8 * index)
      index += 1
    }
    return value
  }

  func uint16(at offset: Int) throws(ImageError) -> Int {
    try require(2, at: offset)
    let value = bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
    return Int(order == .bigEndian ? UInt16(bigEndian: value) : UInt16(littleEndian: value))
  }

  func uint32(at offset: Int) throws(ImageError) -> Int {
    try require(4, at: offset)
    let value = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
    return Int(order == .bigEndian ? UInt32(bigEndian: value) : UInt32(littleEndian: value))
  }

  /// Returns whether these bytes are at an offset.
  ///
  /// Throws when the available bytes match, but are too few to decide.
  func matches(_ expected: [UInt8], at offset: Int) throws(ImageError) -> Bool {
    try require(0, at: offset)
    var index = 0
    while index < expected.count {
      guard try uint8(at: offset + index) == Int(expected[index]) else { return false }
      index += 1
    }
    return true
  }

  // MARK: Numbers at the position

  mutating func uint8() throws(ImageError) -> Int {
    let value = try uint8(at: position)
    position += 1
    return value
  }

  mutating func uint16() throws(ImageError) -> Int {
    let value = try uint16(at: position)
    position += 2
    return value
  }

  mutating func uint32() throws(ImageError) -> Int {
    let value = try uint32(at: position)
    position += 4
    return value
  }

  mutating func int32() throws(ImageError) -> Int {
    Int(Int32(truncatingIfNeeded: try uint32()))
  }

  /// Returns an unsigned number of up to 8 bytes, in 64 bits.
  mutating func uint(bytes count: Int) throws(ImageError) -> UInt64 {
    let value = try uint(bytes: count, at: position)
    position += count
    return value
  }

  /// Returns an offset or a length: an unsigned number of up to 8 bytes.
  mutating func length(bytes count: Int) throws(ImageError) -> Int {
    let value = try uint(bytes: count)
    guard let length = Int(exactly: value) else {
      throw ImageError(.malformed, at: position - count, "A length is larger than any file.")
    }
    return length
  }

  mutating func fourCC() throws(ImageError) -> FourCC {
    let value = try uint32(at: position)
    position += 4
    let code = UInt32(truncatingIfNeeded: value)
    return FourCC(rawValue: order == .bigEndian ? code : code.byteSwapped)
  }

  // MARK: Moving

  /// Moves forward; the skipped bytes need not be available.
  mutating func skip(_ count: Int) throws(ImageError) {
    guard count >= 0, count <= remaining else {
      throw ImageError(.malformed, at: position, "A part exceeds its container.")
    }
    position += count
  }

  /// Skips one byte of padding, if the range has it.
  mutating func skipPadding() {
    if position < end { position += 1 }
  }

  mutating func move(to offset: Int) throws(ImageError) {
    guard offset >= start, offset <= end else {
      throw ImageError(.malformed, at: position, "An offset points outside its container.")
    }
    position = offset
  }

  /// Moves to an offset that is counted from the start of the range.
  mutating func move(toRelative offset: Int) throws(ImageError) {
    let (absolute, overflow) = start.addingReportingOverflow(offset)
    guard !overflow else {
      throw ImageError(.malformed, at: position, "An offset points outside its container.")
    }
    try move(to: absolute)
  }

  /// Returns a reader for the next bytes and moves past them.
  ///
  /// The bytes need not be available yet.
  mutating func take(_ count: Int) throws(ImageError) -> ByteReader {
    let from = position
    try skip(count)
    return ByteReader(self, start: from, end: position)
  }

  /// Returns a reader for all bytes from the position to the declared end.
  mutating func takeRest() -> ByteReader {
    let rest = ByteReader(self, start: position, end: end)
    position = end
    return rest
  }

  /// Returns a reader for a part of this range, independent of the position.
  func window(at offset: Int, count: Int) throws(ImageError) -> ByteReader {
    var reader = self
    try reader.move(to: offset)
    return try reader.take(count)
  }
}

extension ByteReader {
  /// Returns the CRC-32 of some bytes (PNG, third edition, annex D).
  func crc32(_ count: Int, at offset: Int) throws(ImageError) -> UInt32 {
    try require(count, at: offset)
    return CRC32.checksum(UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)]))
  }

  /// Returns the offset at which a byte next occurs.
  ///
  /// Nil if the available bytes after the position do not contain it.
  func firstOffset(of byte: UInt8) -> Int? {
    let limit = min(end, bytes.count)
    guard position < limit else { return nil }
    return bytes[position..<limit].firstIndex(of: byte)
  }
}

/// Four letters that identify a chunk or a box.
struct FourCC: RawRepresentable, Hashable, Sendable {
  var rawValue: UInt32

  init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Creates a code from four ASCII letters; any other character becomes `?`.
  init(_ letters: StaticString) {
    var value: UInt32 = 0
    for scalar in letters.description.unicodeScalars {
      value = value << 8 | (scalar.isASCII ? scalar.value : 0x3F)
    }
    rawValue = value
  }
}

/// Computes the CRC-32 of PNG chunks, eight bytes per step.
enum CRC32 {
  /// Eight tables of 256: table `k` advances a byte through `k` further zero bytes.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var value = UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
      tables[byte] = value
    }
    for index in 256..<(8 * 256) {
      let before = tables[index - 256]
      tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
    }
    return tables
  }()

  // Safe because no index leaves `0..<bytes.count`, and a byte chooses among the 256 entries of each table.
  static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    tables.withUnsafeBufferPointer { table in
      var crc: UInt32 = 0xFFFF_FFFF
      var offset = 0
      while bytes.count - offset >= 8 {
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) ^ UInt64(crc)
        // Two halves that can be computed in parallel.
        let low =
          table[1792 + Int(word & 0xFF)] ^ table[1536 + Int(word >> 8 & 0xFF)] ^ table[1280 + Int(word >> 16 & 0xFF)]
          ^ table[1024 + Int(word >> 24 & 0xFF)]
        let high =
          table[768 + Int(word >> 32 & 0xFF)] ^ table[512 + Int(word >> 40 & 0xFF)]
          ^ table[256 + Int(word >> 48 & 0xFF)]
          ^ table[Int(word >> 56)]
        crc = low ^ high
        offset += 8
      }
      while offset < bytes.count {
        crc = table[Int((crc ^ UInt32(bytes[offset])) & 0xFF)] ^ crc >> 8
        offset += 1
      }
      return ~crc
    }
  }
}
