import FoundationEssentials

/// Writes bytes as one word of a POSIX shell (IEEE Std 1003.1, Shell Command Language §2.2).
///
/// Text stands in single quotes. Control characters, bytes that are not UTF-8 and characters that change the direction of text are
/// written by `printf`, so that a command that is shown on a terminal does nothing there and looks like what it is.
enum ShellWord {
  /// Returns a word with exactly these bytes; a NUL, which no argument can contain, is left out.
  static func quoted(_ bytes: [UInt8]) -> String {
    guard let text = printable(bytes) else { return printed(bytes.filter { $0 != 0 }) }
    return quoted(printable: text)
  }

  /// Returns a word with exactly these characters.
  static func quoted(_ text: String) -> String { quoted(Array(text.utf8)) }

  /// Returns the bytes as text if all of them can be shown.
  static func printable(_ bytes: [UInt8]) -> String? {
    guard let text = String(validating: bytes, as: UTF8.self), text.unicodeScalars.allSatisfy(isShown) else {
      return nil
    }
    return text
  }

  /// Returns the argument of `printf` that writes exactly these bytes, NUL included.
  static func format(_ bytes: [UInt8]) -> String {
    var written: [UInt8] = []
    written.reserveCapacity(bytes.count + 16)
    for piece in pieces(of: bytes) {
      switch piece {
      case .shown(let shown):
        for byte in shown {
          switch byte {
          case UInt8(ascii: "%"): written += "%%".utf8
          case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\n"): written += octal(byte)
          // A format that begins with it would be taken for an option.
          case UInt8(ascii: "-") where written.isEmpty: written += octal(byte)
          default: written.append(byte)
          }
        }
      case .hidden(let hidden): for byte in hidden { written += octal(byte) }
      }
    }
    return "'" + String(decoding: written, as: UTF8.self) + "'"
  }

  private enum Piece {
    case shown(Substring.UTF8View)
    case hidden([UInt8])
  }

  /// Splits bytes into characters that can be shown and bytes that cannot.
  private static func pieces(of bytes: [UInt8]) -> [Piece] {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      return bytes.map { $0 < 0x20 || $0 >= 0x7F ? .hidden([$0]) : .shown(Substring(String(UnicodeScalar($0))).utf8) }
    }
    var pieces: [Piece] = []
    var start = text.startIndex
    let scalars = text.unicodeScalars
    for index in scalars.indices where !isShown(scalars[index]) {
      if start < index { pieces.append(.shown(text[start..<index].utf8)) }
      pieces.append(.hidden(Array(String(scalars[index]).utf8)))
      start = scalars.index(after: index)
    }
    if start < text.endIndex { pieces.append(.shown(text[start...].utf8)) }
    return pieces
  }

  private static func octal(_ byte: UInt8) -> [UInt8] {
    [UInt8(ascii: "\\"), 0x30 + (byte >> 6), 0x30 + (byte >> 3 & 7), 0x30 + (byte & 7)]
  }

  private static func quoted(printable text: String) -> String {
    if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return text }
    // By bytes: behind a quote, a combining mark would make it a part of another character.
    let bytes = text.utf8.flatMap { $0 == UInt8(ascii: "'") ? Array("'\\''".utf8) : [$0] }
    return "'" + String(decoding: bytes, as: UTF8.self) + "'"
  }

  private static func printed(_ bytes: [UInt8]) -> String {
    // A command substitution loses the line breaks at its end.
    let end = bytes.lastIndex { $0 != 0x0A }.map { $0 + 1 } ?? 0
    let breaks = bytes.count - end
    let word = "\"$(printf \(format(Array(bytes[..<end]))))\""
    return breaks == 0 ? word : word + "'" + String(repeating: "\n", count: breaks) + "'"
  }

  /// Whether a character needs no quotes anywhere in a word.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "_./:@%+,-".utf8.contains(byte)
    }
  }

  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control: scalar == "\n" || scalar == "\t"
    case .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}
