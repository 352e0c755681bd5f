/// Reads the parts that items, lists and dictionaries share (RFC 9651 §4.2).
struct StructuredFieldParser {
  typealias Failure = StructuredField.ParseError

  let bytes: [UInt8]
  let limits: StructuredField.Limits
  private(set) var position = 0

  init(_ bytes: [UInt8], limits: StructuredField.Limits) throws(Failure) {
    guard bytes.count <= limits.totalBytes else { throw Failure(.tooManyBytes, at: max(0, limits.totalBytes)) }
    self.bytes = bytes
    self.limits = limits
  }

  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func advance() { position += 1 }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func skipSpaces() {
    while next == UInt8(ascii: " ") { position += 1 }
  }

  mutating func skipOptionalWhitespace() {
    while next == UInt8(ascii: " ") || next == UInt8(ascii: "\t") { position += 1 }
  }

  /// The error for an unexpected byte at the current position, or for the end.
  var unexpected: Failure {
    Failure(next.map { .unexpectedByte($0) } ?? .unexpectedEnd, at: position)
  }

  mutating func expect(_ character: Unicode.Scalar) throws(Failure) {
    guard take(character) else { throw unexpected }
  }

  mutating func expectEnd() throws(Failure) {
    skipSpaces()
    guard next == nil else { throw unexpected }
  }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

extension StructuredFieldParser {
  /// Parses an inner list or an item, by its first byte (RFC 9651 §4.2.1.1).
  mutating func member() throws(Failure) -> StructuredField.Member {
    next == UInt8(ascii: "(") ? .innerList(try innerList()) : .item(try item())
  }

  /// Parses an inner list (RFC 9651 §4.2.1.2).
  private mutating func innerList() throws(Failure) -> StructuredField.InnerList {
    try expect("(")
    var items: [StructuredField.Item] = []
    while true {
      skipSpaces()
      if take(")") { return StructuredField.InnerList(items, parameters: try parameters()) }
      guard items.count < limits.innerListItems else { throw Failure(.tooManyInnerListItems, at: position) }
      items.append(try item())
      guard next == UInt8(ascii: " ") || next == UInt8(ascii: ")") else { throw unexpected }
    }
  }

  /// Parses an item with its parameters (RFC 9651 §4.2.3).
  mutating func item() throws(Failure) -> StructuredField.Item {
    let value = try bareItem()
    return StructuredField.Item(value, parameters: try parameters())
  }

  /// Parses parameters (RFC 9651 §4.2.3.2).
  mutating func parameters() throws(Failure) -> StructuredField.Parameters {
    var parameters = StructuredField.Parameters()
    while take(";") {
      skipSpaces()
      let start = position
      let key = try key()
      parameters[key] = take("=") ? try bareItem() : .boolean(true)
      guard parameters.count <= limits.parameters else { throw Failure(.tooManyParameters, at: start) }
    }
    return parameters
  }

  /// Parses a key (RFC 9651 §4.2.3.3).
  mutating func key() throws(Failure) -> String {
    let start = position
    guard let first = next, StructuredFieldGrammar.startsKey(first) else { throw unexpected }
    while let byte = next, StructuredFieldGrammar.continuesKey(byte) { position += 1 }
    return text(start..<position)
  }

  /// Moves to the next member; returns false at the end of the value.
  ///
  /// These are the steps after a member in RFC 9651 §4.2.1 and §4.2.2.
  mutating func nextMember() throws(Failure) -> Bool {
    skipOptionalWhitespace()
    guard next != nil else { return false }
    let comma = position
    try expect(",")
    skipOptionalWhitespace()
    guard next != nil else { throw Failure(.trailingComma, at: comma) }
    return true
  }
}
