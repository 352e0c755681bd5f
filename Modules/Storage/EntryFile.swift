import CurlewCore
import FoundationEssentials
import Glibc

/// The file of one entry: fixed fields, key, header and any short content.
///
/// All numbers are little-endian: magic (8 bytes); lengths of key (4), header (4) and content (8); checksum of the
/// content (8); number of the separate content file, or 0 (8); checksum of all these fields, the key and the header
/// (8).
struct EntryFile {
  /// Where the content is, with its length and checksum.
  struct Body: Sendable {
    var length: Int64
    var checksum: UInt64
    /// The number of the separate content file; nil when `bytes` holds the content.
    var blob: UInt64?
    var bytes: Data
  }

  static let fixedLength = 48
  /// The most bytes of content in this file; longer content has a file of its own.
  static let inlineLimit = 32_768
  /// The most bytes of key and header together.
  static let headLimit = 1 << 20
  private static let magic: UInt64 = 0x3145_524F_5453_5743

  var key: String
  var header: Data
  var body: Body

  var encoded: Data {
    var data = Data(capacity: Self.fixedLength + key.utf8.count + header.count + body.bytes.count)
    func put(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
    }
    put(Self.magic)
    put(UInt32(clamping: key.utf8.count))
    put(UInt32(clamping: header.count))
    put(UInt64(clamping: body.length))
    put(body.checksum)
    put(body.blob ?? 0)
    var checksum = Checksum()
    data.withUnsafeBytes { checksum.update($0) }
    let head = Data(key.utf8) + header
    head.withUnsafeBytes { checksum.update($0) }
    put(checksum.value)
    data.append(head)
    data.append(body.bytes)
    return data
  }

  /// Reads an entry; nil when it is damaged or of another key.
  ///
  /// A content in a file of its own is not checked here.
  init?(_ data: Data, key: String) {
    guard let fixed = Fixed(data), fixed.keyLength == key.utf8.count else { return nil }
    let headEnd = Self.fixedLength + fixed.keyLength + fixed.headerLength
    guard data.count >= headEnd else { return nil }
    var checksum = Checksum()
    data.withUnsafeBytes { bytes in
      checksum.update(UnsafeRawBufferPointer(rebasing: bytes[..<(Self.fixedLength - 8)]))
      checksum.update(UnsafeRawBufferPointer(rebasing: bytes[Self.fixedLength..<headEnd]))
    }
    let start = data.startIndex
    let keyBytes = data[(start + Self.fixedLength)..<(start + Self.fixedLength + fixed.keyLength)]
    guard checksum.value == fixed.checksum, keyBytes.elementsEqual(key.utf8) else { return nil }
    self.key = key
    header = Data(data[(start + Self.fixedLength + fixed.keyLength)..<(start + headEnd)])
    let rest = Data(data[(start + headEnd)...])
    body = Body(length: fixed.contentLength, checksum: fixed.contentChecksum, blob: fixed.blob, bytes: rest)
    guard fixed.blob == nil else {
      guard rest.isEmpty else { return nil }
      return
    }
    guard Int64(rest.count) == body.length, rest.withUnsafeBytes({ Checksum(of: $0).value }) == body.checksum else {
      return nil
    }
  }

  init(key: String, header: Data, body: Body) {
    self.key = key
    self.header = header
    self.body = body
  }

  /// Returns the number of an entry's separate content file, even if it is damaged.
  static func blob(of file: any OpenFile) -> UInt64? {
    (try? file.data(in: 0..<Int64(fixedLength))).flatMap { Fixed($0) }?.blob
  }

  /// The fields at the start.
  private struct Fixed {
    var keyLength: Int
    var headerLength: Int
    var contentLength: Int64
    var contentChecksum: UInt64
    var blob: UInt64?
    var checksum: UInt64

    init?(_ data: Data) {
      guard data.count >= EntryFile.fixedLength else { return nil }
      func number<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Number {
        data.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
      }
      guard number(0, UInt64.self) == EntryFile.magic else { return nil }
      keyLength = Int(number(8, UInt32.self))
      headerLength = Int(number(12, UInt32.self))
      let length = number(16, Int64.self)
      guard length >= 0, keyLength + headerLength <= EntryFile.headLimit else { return nil }
      contentLength = length
      contentChecksum = number(24, UInt64.self)
      let blob = number(32, UInt64.self)
      self.blob = blob == 0 ? nil : blob
      checksum = number(40, UInt64.self)
    }
  }
}
