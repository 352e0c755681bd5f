public import CurlewCore
public import FoundationEssentials
import Glibc

/// Text of bytes in a charset; total and strict.
///
/// UTF-8, ASCII and ISO-8859-1 are read directly, the other encodings of the web through the system's `iconv`. A byte order
/// mark decides against the label between the Unicode encodings, as browsers do, and is dropped.
public enum CharsetDecoder {
  /// Reads bytes.
  ///
  /// - Throws: `CharsetError` when the charset is unknown to the system or the bytes are not in it.
  public static func string(_ bytes: Data, as charset: Charset) throws(CharsetError) -> String {
    if let (marked, length) = byteOrderMark(bytes, charset), charset.name.hasPrefix("utf-") {
      return try decode(bytes.dropFirst(length), as: marked)
    }
    return try decode(bytes, as: charset)
  }

  /// The text of a body whose type names another charset than UTF-8; nil where the format's parser reads the bytes itself.
  package static func foreignText(_ head: ResponseHead?, _ body: Data) throws(CharsetError) -> String? {
    guard let charset = head?.charset, charset != .utf8, charset != .usASCII else { return nil }
    return try string(body, as: charset)
  }

  private static func byteOrderMark(_ bytes: Data, _ label: Charset) -> (Charset, Int)? {
    let head = [UInt8](bytes.prefix(4))
    if head.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
    // FF FE 00 00 is also UTF-16 that begins with a NUL: then the label decides.
    if head == [0xFF, 0xFE, 0, 0], !label.name.hasPrefix("utf-16") { return (.utf32LittleEndian, 4) }
    if head == [0, 0, 0xFE, 0xFF] { return (.utf32BigEndian, 4) }
    if head.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
    if head.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
    return nil
  }

  private static func decode(_ bytes: Data, as charset: Charset) throws(CharsetError) -> String {
    switch charset {
    case .utf8:
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw CharsetError(.malformed, charset: charset)
      }
      return text
    case .usASCII:
      guard bytes.allSatisfy({ $0 < 128 }) else { throw CharsetError(.malformed, charset: charset) }
      return String(decoding: bytes, as: UTF8.self)
    case .iso88591:
      return String(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
    case .utf16: return try convert(bytes, as: charset, named: "utf-16be")
    case .utf32: return try convert(bytes, as: charset, named: "utf-32be")
    default:
      guard let name = iconvName(charset) else { throw CharsetError(.unknown, charset: charset) }
      return try convert(bytes, as: charset, named: name)
    }
  }

  /// What `iconv` calls a charset; nil for one that is not read.
  ///
  /// A server chooses the charset, and `iconv` loads code by its name, some of it stateful and with a history of faults,
  /// some of it meaning the process's own encodings. So only encodings that the web knows are read (WHATWG Encoding
  /// Standard §4.2), and the single-byte tables of ISO 8859, Windows and three-digit code pages.
  private static func iconvName(_ charset: Charset) -> String? {
    let name = charset.name
    switch name {
    // As the web reads these labels: with the vendors' extensions.
    case "shift_jis": return "CP932"
    case "euc-kr": return "CP949"
    case "big5": return "BIG5-HKSCS"
    case "euc-jp", "gbk", "gb18030", "iso-2022-jp", "koi8-r", "koi8-u", "macintosh", "tis-620", "viscii",
      "utf-16le", "utf-16be", "utf-32le", "utf-32be":
      return name
    case "windows-874": return "CP874"
    case "x-mac-cyrillic": return "MAC-CYRILLIC"
    default:
      let families = [("iso-8859-", 1...2), ("windows-125", 1...1), ("cp", 3...3), ("ibm", 3...3)]
      guard let (prefix, digits) = families.first(where: { name.hasPrefix($0.0) }) else { return nil }
      let number = name.utf8.dropFirst(prefix.utf8.count)
      let isNumber = digits.contains(number.count) && number.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
      return isNumber ? name : nil
    }
  }

  private static func convert(_ bytes: Data, as charset: Charset, named name: String) throws(CharsetError) -> String {
    let converter = iconv_open("UTF-8", name)
    guard converter != iconv_t(bitPattern: -1) else { throw CharsetError(.unknown, charset: charset) }
    defer { iconv_close(converter) }
    var input = bytes.map { CChar(bitPattern: $0) }
    var output = [CChar](repeating: 0, count: 65_536)
    var text: [UInt8] = []
    var consumed = 0
    var isFlushed = false
    while !isFlushed {
      // After the input a call without one hands out what a stateful encoding holds back.
      isFlushed = consumed == input.count
      var left = input.count - consumed
      var room = output.count
      let failure = input.withUnsafeMutableBufferPointer { source in
        output.withUnsafeMutableBufferPointer { target in
          // Safe because `iconv` reads at most `left` and writes at most `room` bytes, and keeps no pointer.
          var from = isFlushed ? nil : source.baseAddress.map { $0 + consumed }
          var to = target.baseAddress
          return iconv(converter, &from, &left, &to, &room) == Int(bitPattern: UInt.max) ? errno : 0
        }
      }
      text += output[..<(output.count - room)].lazy.map { UInt8(bitPattern: $0) }
      let progress = input.count - left - consumed
      consumed = input.count - left
      if failure == 0 { continue }
      guard failure == E2BIG, progress > 0 || room < output.count else {
        throw CharsetError(.malformed, charset: charset)
      }
      isFlushed = false
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// Bytes that cannot be read as text.
public struct CharsetError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong.
  public enum Kind: Sendable, Hashable {
    /// The system does not know the charset.
    case unknown
    /// The bytes are not in it.
    case malformed
  }

  /// What is wrong.
  public let kind: Kind
  /// The charset.
  public let charset: Charset

  init(_ kind: Kind, charset: Charset) {
    self.kind = kind
    self.charset = charset
  }

  /// One sentence.
  public var description: String {
    switch kind {
    case .unknown: "the charset \(charset.name) is not known here"
    case .malformed: "the bytes are not \(charset.name)"
    }
  }
}
