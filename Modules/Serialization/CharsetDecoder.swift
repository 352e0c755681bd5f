public import CurlewCore
public import FoundationEssentials
import Glibc

/// Decodes text in any charset, strictly.
///
/// UTF-8, ASCII and ISO-8859-1 are decoded directly, other encodings of the web by the system's `iconv`. Among the
/// Unicode encodings a byte order mark overrides the label, as in browsers; it is removed.
public enum CharsetDecoder {
  /// Decodes bytes.
  ///
  /// - Throws: `CharsetError` when the charset is unsupported or the bytes violate it.
  public static func string(_ bytes: Data, as charset: Charset) throws(CharsetError) -> String {
    if let (marked, length) = byteOrderMark(bytes, charset), charset.name.hasPrefix("utf-") {
      return try decode(bytes.dropFirst(length), as: marked)
    }
    return try decode(bytes, as: charset)
  }

  /// Returns the text of a body whose type names a charset other than UTF-8.
  ///
  /// Nil when the format's parser should read the bytes itself.
  package static func foreignText(_ head: ResponseHead?, _ body: Data) throws(CharsetError) -> String? {
    guard let charset = head?.charset, charset != .utf8, charset != .usASCII else { return nil }
    return try string(body, as: charset)
  }

  private static func byteOrderMark(_ bytes: Data, _ label: Charset) -> (Charset, Int)? {
    let head = [UInt8](bytes.prefix(4))
    if head.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
    // FF FE 00 00 is also UTF-16 that begins with a NUL; then the label decides.
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

  /// Returns `iconv`'s name of a charset; nil for an unsupported one.
  ///
  /// Besides the encodings of the web, UTF-32, VISCII and the code pages of three digits are supported.
  private static func iconvName(_ charset: Charset) -> String? {
    if let name = webName(of: charset) { return name }
    switch charset.name {
    case "viscii", "utf-32le", "utf-32be": return charset.name
    default: return isNumbered(charset.name, ["cp": 3...3, "ibm": 3...3]) ? charset.name : nil
    }
  }

  /// Returns the name of a web encoding for `iconv` and libxml2; nil for others.
  ///
  /// The sender of a document chooses its charset, and the system loads code by that name: some of it is stateful and
  /// has a history of faults, some of it depends on the process, and some, such as UTF-7, writes markup in a way that a
  /// check of the bytes does not see. So only the encodings of the WHATWG Encoding Standard §4.2 are supported; all of
  /// them write ASCII as ASCII or are UTF-16.
  package static func webName(of charset: Charset) -> String? {
    switch charset.name {
    // These include vendor extensions, as the web interprets these labels.
    case "shift_jis": return "CP932"
    case "euc-kr": return "CP949"
    case "big5": return "BIG5-HKSCS"
    case "windows-874": return "CP874"
    case "x-mac-cyrillic": return "MAC-CYRILLIC"
    case "utf-8", "us-ascii", "euc-jp", "gbk", "gb18030", "ibm866", "iso-2022-jp", "koi8-r", "koi8-u", "macintosh",
      "tis-620", "utf-16le", "utf-16be":
      return charset.name
    default:
      return isNumbered(charset.name, ["iso-8859-": 1...2, "windows-125": 1...1]) ? charset.name : nil
    }
  }

  /// Returns whether a name is a prefix followed by the listed number of digits.
  private static func isNumbered(_ name: String, _ families: [String: ClosedRange<Int>]) -> Bool {
    guard let (prefix, digits) = families.first(where: { name.hasPrefix($0.key) }) else { return false }
    let number = name.utf8.dropFirst(prefix.utf8.count)
    return digits.contains(number.count) && number.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
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
      // After the input, a call without input flushes what a stateful encoding holds back.
      isFlushed = consumed == input.count
      var left = input.count - consumed
      var room = output.count
      let failure = input.withUnsafeMutableBufferPointer { source in
        output.withUnsafeMutableBufferPointer { target in
          // Safe because `iconv` reads at most `left` bytes, writes at most `room` bytes, and keeps no pointer.
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

/// The error for bytes that cannot be decoded as text.
public struct CharsetError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of failure.
  public enum Kind: Sendable, Hashable {
    /// The system does not support the charset.
    case unknown
    /// The bytes violate the charset.
    case malformed
  }

  /// The kind of failure.
  public let kind: Kind
  /// The charset.
  public let charset: Charset

  init(_ kind: Kind, charset: Charset) {
    self.kind = kind
    self.charset = charset
  }

  /// A sentence that describes the error.
  public var description: String {
    switch kind {
    case .unknown: "the charset \(charset.name) is not supported"
    case .malformed: "the bytes are not valid \(charset.name)"
    }
  }
}

extension CharsetError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
