/// A text for libyaml, with stand-ins for what libyaml would reject or change.
///
/// - U+0085, U+2028 and U+2029 end lines in YAML 1.1 and are ordinary characters in YAML 1.2 (§5.4). libyaml only knows
///   the former rule.
/// - `\ud83d\ude00` in a double-quoted scalar is a pair of escapes for one character, as JSON writes it. libyaml
///   rejects it.
/// - A last line of spaces without a line break counts as if it had one. libyaml omits that break from a block scalar.
///
/// A stand-in is a noncharacter that the text does not contain. It replaces one character, so that lines and columns
/// stay the same; `restoring` reverses this.
struct PreparedText {
  private static let lineBreaks: [[UInt8]] = ["\u{85}", "\u{2028}", "\u{2029}"].map { Array($0.utf8) }
  private static let lineBreakStandIns: [[UInt8]] = ["\u{FFFFE}", "\u{10FFFE}", "\u{10FFFF}"].map { Array($0.utf8) }
  private static let backslashStandIn = Array("\u{EFFFE}".utf8)
  /// The length of `\ud83d\ude00`.
  private static let pairLength = 12

  /// The text for libyaml.
  let bytes: [UInt8]
  /// Whether scalars must be restored.
  let hasStandIns: Bool

  /// Prepares a text; nil when it can be parsed unchanged.
  ///
  /// - Parameter keepsLineBreaks: Whether only line feeds and carriage returns end lines.
  init?(_ text: UnsafeBufferPointer<UInt8>, keepsLineBreaks: Bool) {
    let standIns = Self.lineBreakStandIns + [Self.backslashStandIn]
    let hasBreaks = keepsLineBreaks && Self.lineBreaks.contains { text.firstPlace(of: $0) != nil }
    let firstPair = Self.surrogatePair(in: text, from: 0)
    let needsStandIns =
      (hasBreaks || firstPair != nil) && !standIns.contains { text.firstPlace(of: $0) != nil }
    let needsBreak = Self.endsWithSpaces(text)
    guard needsStandIns || needsBreak else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count + text.count / 8 + 1)
    if needsStandIns {
      var nextPair = firstPair ?? text.count
      var place = 0
      while place < text.count {
        if place == nextPair {
          for offset in place..<place + Self.pairLength {
            if text[offset] == UInt8(ascii: "\\") {
              bytes += Self.backslashStandIn
            } else {
              bytes.append(text[offset])
            }
          }
          place += Self.pairLength
          nextPair = Self.surrogatePair(in: text, from: place) ?? text.count
        } else if hasBreaks, let found = Self.lineBreaks.firstIndex(where: { text[place...].starts(with: $0) }) {
          bytes += Self.lineBreakStandIns[found]
          place += Self.lineBreaks[found].count
        } else {
          bytes.append(text[place])
          place += 1
        }
      }
    } else {
      bytes.append(contentsOf: text)
    }
    if needsBreak { bytes.append(UInt8(ascii: "\n")) }
    self.bytes = bytes
    hasStandIns = needsStandIns
  }

  /// Returns a scalar with the original characters in place of stand-ins.
  ///
  /// - Parameter isDoubleQuoted: Whether the scalar has escapes; otherwise a backslash is text.
  static func restoring(_ scalar: UnsafeBufferPointer<UInt8>, isDoubleQuoted: Bool) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(scalar.count)
    var place = 0
    while place < scalar.count {
      // All stand-ins start with one of these bytes.
      guard scalar[place] == 0xF3 || scalar[place] == 0xF4 else {
        text.append(scalar[place])
        place += 1
        continue
      }
      let rest = scalar[place...]
      if let found = lineBreakStandIns.firstIndex(where: { rest.starts(with: $0) }) {
        text += lineBreaks[found]
        place += lineBreakStandIns[found].count
      } else if rest.starts(with: backslashStandIn) {
        let high = place + backslashStandIn.count + 1
        let low = high + 4 + backslashStandIn.count + 1
        if isDoubleQuoted, let scalar = character(in: scalar, high, low) {
          text += scalar
          place = low + 4
        } else {
          text.append(UInt8(ascii: "\\"))
          place += backslashStandIn.count
        }
      } else {
        text.append(scalar[place])
        place += 1
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the UTF-8 of the character that a pair of surrogate escapes encodes.
  private static func character(in bytes: UnsafeBufferPointer<UInt8>, _ high: Int, _ low: Int) -> [UInt8]? {
    guard let first = unit(in: bytes, at: high), let second = unit(in: bytes, at: low),
      (0xD800...0xDBFF).contains(first), (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { return nil }
    return UTF8.encode(scalar).map { Array($0) }
  }

  private static func unit(in bytes: UnsafeBufferPointer<UInt8>, at place: Int) -> UInt32? {
    guard place + 4 <= bytes.count else { return nil }
    var unit: UInt32 = 0
    for byte in bytes[place..<place + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }

  /// Returns where the next pair of surrogate escapes begins; nil after the last one.
  private static func surrogatePair(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    let escape = Array("\\u".utf8)
    var place = start
    while let found = text.firstPlace(of: escape, from: place) {
      if found + pairLength <= text.count, text[found + 6] == escape[0], text[found + 7] == escape[1],
        character(in: text, found + 2, found + 8) != nil, !isEscaped(found, in: text)
      {
        return found
      }
      place = found + escape.count
    }
    return nil
  }

  /// Returns whether a backslash is itself escaped.
  ///
  /// An odd number of backslashes before it escapes it.
  private static func isEscaped(_ place: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
    var before = place
    while before > 0, text[before - 1] == UInt8(ascii: "\\") { before -= 1 }
    return (place - before) & 1 == 1
  }

  /// Returns whether the last line has only spaces and no line break.
  private static func endsWithSpaces(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.last == UInt8(ascii: " ") else { return false }
    return text.last { $0 != UInt8(ascii: " ") }.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } ?? false
  }
}
