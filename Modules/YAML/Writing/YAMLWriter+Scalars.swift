extension YAMLWriter {
  /// Writes a scalar or an empty collection.
  mutating func scalar(_ value: YAMLValue, at position: Position, isKey: Bool = false) {
    switch value {
    case .null: put("null")
    case .bool(let value): put(value ? "true" : "false")
    case .int(let value): put(value.text)
    case .float(let value): put(FloatText.portable(value))
    case .string(let value): string(value, at: position, isKey: isKey)
    case .sequence: put("[]")
    case .mapping: put("{}")
    case .tagged: break
    }
  }

  private mutating func string(_ value: String, at position: Position, isKey: Bool) {
    var value = value
    value.withUTF8 { bytes in
      var isInFlow = format.style == .flow
      var column = 2
      switch position {
      case .flow: isInFlow = true
      case .document, .afterMarker: break
      case .compact(let inner): column = inner
      case .member(let outer): column = outer + format.indentation
      }
      switch ScalarStyle.of(bytes, isKey: isKey, isInFlow: isInFlow) {
      case .plain: text.append(contentsOf: bytes)
      case .singleQuoted: singleQuoted(bytes)
      case .doubleQuoted: doubleQuoted(bytes)
      case .literal: literal(bytes, column: column)
      }
    }
  }

  private mutating func singleQuoted(_ bytes: UnsafeBufferPointer<UInt8>) {
    put("'")
    for byte in bytes {
      if byte == UInt8(ascii: "'") { text.append(byte) }
      text.append(byte)
    }
    put("'")
  }

  private mutating func doubleQuoted(_ bytes: UnsafeBufferPointer<UInt8>) {
    put("\"")
    for place in bytes.indices {
      let byte = bytes[place]
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        put("\\")
        text.append(byte)
      case UInt8(ascii: "\n"): put("\\n")
      case UInt8(ascii: "\t"): put("\\t")
      case UInt8(ascii: "\r"): put("\\r")
      case 0..<0x20, 0x7F: escape(UInt32(byte))
      case 0x80... where EscapedScalar.starts(at: place, bytes): escape(Self.scalar(at: place, bytes))
      case 0x80..<0xC0 where isWithinEscape(place, bytes): break
      default: text.append(byte)
      }
    }
    put("\"")
  }

  /// Returns whether a byte continues a character that was written as an escape.
  private func isWithinEscape(_ place: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var start = place
    while start > 0, bytes[start] & 0xC0 == 0x80 { start -= 1 }
    return EscapedScalar.starts(at: start, bytes)
  }

  private static func scalar(at place: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
    let first = bytes[place]
    let count = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    var value = UInt32(first & (0xFF >> UInt8(count + 1)))
    for byte in bytes[place...].dropFirst().prefix(count - 1) { value = value << 6 | UInt32(byte & 0x3F) }
    return value
  }

  private mutating func escape(_ value: UInt32) {
    let digits = String(value, radix: 16, uppercase: true)
    let (letter, width) = value < 0x100 ? ("x", 2) : value < 0x10000 ? ("u", 4) : ("U", 8)
    put("\\" + letter + String(repeating: "0", count: width - digits.utf8.count) + digits)
  }

  /// Writes a `|` block; its header says how many final line feeds it has.
  private mutating func literal(_ bytes: UnsafeBufferPointer<UInt8>, column: Int) {
    let lineFeed = UInt8(ascii: "\n")
    put("|")
    if bytes.last != lineFeed {
      put("-")
    } else if bytes.count < 2 || bytes[bytes.count - 2] == lineFeed {
      put("+")
    }
    put("\n")
    var isAtLineStart = true
    for byte in bytes {
      if isAtLineStart, byte != lineFeed { text.append(contentsOf: repeatElement(UInt8(ascii: " "), count: column)) }
      text.append(byte)
      isAtLineStart = byte == lineFeed
    }
    if !isAtLineStart { put("\n") }
  }
}

/// Writes floats so that YAML 1.1 also reads them as floats.
///
/// They have a point, and a sign in the exponent.
enum FloatText {
  static func portable(_ value: YAMLFloat) -> String {
    guard let letter = value.text.firstIndex(where: { $0 == "e" || $0 == "E" }) else { return value.text }
    let mantissa = value.text[..<letter]
    let exponent = value.text[value.text.index(after: letter)...]
    let isSigned = exponent.first == "-" || exponent.first == "+"
    return mantissa + (mantissa.contains(".") ? "" : ".0") + "e" + (isSigned ? "" : "+") + exponent
  }
}

/// Writes tags: local and standard ones in short form, others in full.
enum TagText {
  static func of(_ tag: String) -> String {
    if tag.hasPrefix(CoreTag.prefix) { return "!!" + escaped(tag.dropFirst(CoreTag.prefix.count), inFull: false) }
    if tag.hasPrefix("!"), !tag.dropFirst().contains("!") { return "!" + escaped(tag.dropFirst(), inFull: false) }
    return "!<" + escaped(tag[...], inFull: true) + ">"
  }

  /// Escapes characters that are not allowed in a tag (YAML 1.2 §6.8.2).
  ///
  /// A tag consists of URI characters; a short one must not contain flow indicators.
  private static func escaped(_ tag: Substring, inFull: Bool) -> String {
    let others = inFull ? "-;/?:@&=+$,_.!~*'()[]" : "-;/?:@&=+$_.~*'()"
    var text = ""
    for byte in tag.utf8 {
      let character = Character(Unicode.Scalar(byte))
      if byte < 0x80, byte.isDigit || (byte | 0x20) &- UInt8(ascii: "a") < 26 || others.contains(character) {
        text.append(character)
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        text += "%" + (digits.utf8.count < 2 ? "0" : "") + digits
      }
    }
    return text
  }
}
