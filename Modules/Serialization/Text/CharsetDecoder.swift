public import CurlewCore
public import FoundationEssentials
import Glibc

/// Text of bytes in a charset; total and strict.
///
/// UTF-8, ASCII and ISO-8859-1 are read directly, all others through the system's `iconv`. A byte order mark decides
/// against the label between the Unicode encodings, as browsers do, and is dropped.
public enum CharsetDecoder {
  /// Reads bytes.
  ///
  /// - Throws: `CharsetError` when the charset is unknown to the system or the bytes are not in it.
  public static func string(_ bytes: Data, as charset: Charset) throws(CharsetError) -> String {
    if let (marked, length) = byteOrderMark(bytes), charset.name.hasPrefix("utf-") {
      return try decode(bytes.dropFirst(length), as: marked)
    }
    return try decode(bytes, as: charset)
  }

  private static func byteOrderMark(_ bytes: Data) -> (Charset, Int)? {
    let head = [UInt8](bytes.prefix(4))
    if head.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
    if head == [0xFF, 0xFE, 0, 0] { return (.utf32LittleEndian, 4) }
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
    default: return try convert(bytes, as: charset, named: charset.name)
    }
  }

  private static func convert(_ bytes: Data, as charset: Charset, named name: String) throws(CharsetError) -> String {
    // A suffix such as //IGNORE would change what iconv does.
    guard !name.utf8.contains(UInt8(ascii: "/")) else { throw CharsetError(.unknown, charset: charset) }
    let converter = iconv_open("UTF-8", name)
    guard converter != iconv_t(bitPattern: -1) else { throw CharsetError(.unknown, charset: charset) }
    defer { iconv_close(converter) }
    var input = [CChar](bytes.map { CChar(bitPattern: $0) })
    var output = [CChar](repeating: 0, count: 65_536)
    var text: [UInt8] = []
    var consumed = 0
    while consumed < input.count {
      var left = input.count - consumed
      var room = output.count
      let failed = input.withUnsafeMutableBufferPointer { source in
        output.withUnsafeMutableBufferPointer { target in
          var from = source.baseAddress.map { $0 + consumed }
          var to = target.baseAddress
          return iconv(converter, &from, &left, &to, &room) == Int(bitPattern: UInt.max) ? errno : 0
        }
      }
      text += output[..<(output.count - room)].lazy.map { UInt8(bitPattern: $0) }
      let progress = input.count - left - consumed
      consumed = input.count - left
      guard failed == 0 || (failed == E2BIG && (progress > 0 || room < output.count)) else {
        throw CharsetError(.malformed, charset: charset)
      }
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
