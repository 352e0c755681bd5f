import FoundationEssentials

/// The bytes of a journal: a header, then records. All numbers are little-endian.
///
/// | part | bytes |
/// |---|---|
/// | header | 8: `CURLEWJ` and the version · 8: a random salt · 8: checksum of the 16 before |
/// | record | 4: length of the payload · 8: checksum · the payload |
///
/// The checksum of a record covers the salt, the checksum of the previous record, the length and the payload. So a
/// record is valid only in this file and after this predecessor: leftovers of an overwritten tail, or payload bytes
/// that look like a record, are never taken for one.
struct JournalFormat {
  static let headerLength = 24
  static let recordOverhead = 12
  private static let magic = Array("CURLEWJ".utf8)
  private static let version = UInt8(ascii: "1")

  private let salt: UInt64
  /// The checksum of the last record, or of the header.
  private var last: UInt64

  /// The result of reading the first bytes of a file.
  enum Header {
    case journal(JournalFormat)
    case foreign
    case laterVersion
  }

  /// Creates the format of a new journal.
  init(salt: UInt64) {
    self.salt = salt
    last = 0
    last = Self.headerChecksum(salt)
  }

  private static func headerChecksum(_ salt: UInt64) -> UInt64 {
    let bytes = headerStart(salt)
    return bytes.withUnsafeBytes { Checksum(of: $0).value }
  }

  private static func headerStart(_ salt: UInt64) -> [UInt8] {
    magic + [version] + withUnsafeBytes(of: salt.littleEndian) { Array($0) }
  }

  var header: [UInt8] {
    Self.headerStart(salt) + withUnsafeBytes(of: Self.headerChecksum(salt).littleEndian) { Array($0) }
  }

  /// Reads the header; the file may be shorter than a header.
  static func header(_ bytes: UnsafeRawBufferPointer) -> Header {
    guard bytes.count >= headerLength, bytes.starts(with: magic) else { return .foreign }
    guard bytes[magic.count] == version else { return bytes[magic.count] > version ? .laterVersion : .foreign }
    let format = JournalFormat(salt: number(bytes, 8, UInt64.self))
    return number(bytes, 16, UInt64.self) == format.last ? .journal(format) : .foreign
  }

  /// Returns the record for a payload and advances the checksum to it.
  mutating func record(_ payload: UnsafeRawBufferPointer) -> Data {
    var data = Data(capacity: Self.recordOverhead + payload.count)
    let length = UInt32(payload.count)
    let checksum = self.checksum(length, payload)
    withUnsafeBytes(of: length.littleEndian) { data.append(contentsOf: $0) }
    withUnsafeBytes(of: checksum.littleEndian) { data.append(contentsOf: $0) }
    data.append(contentsOf: payload)
    last = checksum
    return data
  }

  /// Returns the payload's length from the first twelve bytes of a record.
  static func length(_ start: UnsafeRawBufferPointer) -> Int { Int(number(start, 0, UInt32.self)) }

  /// Advances to a record and returns true if its checksum is right.
  mutating func accepts(_ start: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer) -> Bool {
    let checksum = self.checksum(UInt32(truncatingIfNeeded: payload.count), payload)
    guard Self.matches(start, checksum) else { return false }
    last = checksum
    return true
  }

  /// Returns whether the first twelve bytes of a record name this checksum.
  static func matches(_ start: UnsafeRawBufferPointer, _ checksum: UInt64) -> Bool {
    checksum == number(start, 4, UInt64.self)
  }

  /// Returns the format behind a damaged record, whose successor refers to its checksum.
  ///
  /// - Parameters:
  ///   - start: The first twelve bytes of the damaged record.
  ///   - payload: The payload, to compute the checksum; nil takes the one in the file.
  func behind(_ start: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer?) -> JournalFormat {
    var next = self
    next.last =
      payload.map { checksum(UInt32(truncatingIfNeeded: $0.count), $0) } ?? Self.number(start, 4, UInt64.self)
    return next
  }

  /// Returns the checksum of the next record before its payload, which the caller adds.
  func beginningChecksum(_ length: UInt32) -> Checksum {
    var checksum = Checksum()
    withUnsafeBytes(of: (salt.littleEndian, last.littleEndian)) { checksum.update($0) }
    withUnsafeBytes(of: length.littleEndian) { checksum.update($0) }
    return checksum
  }

  private func checksum(_ length: UInt32, _ payload: UnsafeRawBufferPointer) -> UInt64 {
    var checksum = beginningChecksum(length)
    checksum.update(payload)
    return checksum.value
  }

  private static func number<Number: FixedWidthInteger>(
    _ bytes: UnsafeRawBufferPointer, _ offset: Int, _: Number.Type
  ) -> Number {
    Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
  }
}
