import FoundationEssentials

/// Writes the parts that items, lists and dictionaries share (RFC 9651 §4.1).
struct StructuredFieldWriter {
  typealias Failure = StructuredField.SerializationError

  var text = ""

  mutating func separate() {
    if !text.isEmpty { text += ", " }
  }

  mutating func write(_ member: StructuredField.Member) throws(Failure) {
    switch member {
    case .item(let item): try write(item)
    case .innerList(let list): try write(list)
    }
  }

  private mutating func write(_ list: StructuredField.InnerList) throws(Failure) {
    text += "("
    for (place, item) in list.items.enumerated() {
      if place > 0 { text += " " }
      try write(item)
    }
    text += ")"
    try write(list.parameters)
  }

  mutating func write(_ item: StructuredField.Item) throws(Failure) {
    try write(item.value)
    try write(item.parameters)
  }

  mutating func write(_ parameters: StructuredField.Parameters) throws(Failure) {
    for entry in parameters {
      text += ";"
      try write(key: entry.key)
      if entry.value != .boolean(true) {
        text += "="
        try write(entry.value)
      }
    }
  }

  mutating func write(key: String) throws(Failure) {
    guard let first = key.utf8.first, StructuredFieldGrammar.startsKey(first),
      key.utf8.allSatisfy(StructuredFieldGrammar.continuesKey)
    else { throw .invalidKey(key) }
    text += key
  }

  private mutating func write(_ value: StructuredField.BareItem) throws(Failure) {
    switch value {
    case .integer(let number): try write(number)
    case .decimal(let number): try write(number)
    case .string(let content): try write(string: content)
    case .token(let content): try write(token: content)
    case .byteSequence(let content): text += ":" + content.base64EncodedString() + ":"
    case .boolean(let truth): text += truth ? "?1" : "?0"
    case .date(let seconds):
      text += "@"
      try write(seconds)
    case .displayString(let content): write(displayString: content)
    }
  }

  private mutating func write(_ number: Int64) throws(Failure) {
    guard number.magnitude <= StructuredField.Decimal.largest.magnitude else { throw .integerOutOfRange(number) }
    text += String(number)
  }

  private mutating func write(_ number: StructuredField.Decimal) throws(Failure) {
    let magnitude = number.thousandths.magnitude
    guard magnitude <= StructuredField.Decimal.largest.magnitude else { throw .decimalOutOfRange(number) }
    var fraction = String(1000 + magnitude % 1000).dropFirst()
    while fraction.count > 1, fraction.last == "0" { fraction.removeLast() }
    text += (number.thousandths < 0 ? "-" : "") + String(magnitude / 1000) + "." + fraction
  }

  private mutating func write(string: String) throws(Failure) {
    text += "\""
    for byte in string.utf8 {
      guard (0x20...0x7E).contains(byte) else { throw .stringNotASCII }
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { text += "\\" }
      text.unicodeScalars.append(Unicode.Scalar(byte))
    }
    text += "\""
  }

  private mutating func write(token: String) throws(Failure) {
    guard let first = token.utf8.first, StructuredFieldGrammar.startsToken(first),
      token.utf8.allSatisfy(StructuredFieldGrammar.continuesToken)
    else { throw .invalidToken(token) }
    text += token
  }

  private mutating func write(displayString: String) {
    text += "%\""
    for byte in displayString.utf8 {
      if byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\"") || !(0x20...0x7E).contains(byte) {
        text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      } else {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    text += "\""
  }
}
