extension StructuredField.Item: StructuredField.FieldValue {
  /// Parses an item from bytes (RFC 9651 §4.2.3).
  ///
  /// - Throws: ``StructuredField/ParseError``.
  public init(parsing bytes: [UInt8], limits: StructuredField.Limits) throws(StructuredField.ParseError) {
    var parser = try StructuredFieldParser(bytes, limits: limits)
    parser.skipSpaces()
    self = try parser.item()
    try parser.expectEnd()
  }
}

extension StructuredField.List: StructuredField.FieldValue {
  /// Parses a list from bytes (RFC 9651 §4.2.1); only spaces are an empty list.
  ///
  /// - Throws: ``StructuredField/ParseError``.
  public init(parsing bytes: [UInt8], limits: StructuredField.Limits) throws(StructuredField.ParseError) {
    var parser = try StructuredFieldParser(bytes, limits: limits)
    self.init()
    parser.skipSpaces()
    guard parser.next != nil else { return }
    repeat {
      guard members.count < limits.members else {
        throw StructuredField.ParseError(.tooManyMembers, at: parser.position)
      }
      members.append(try parser.member())
    } while try parser.nextMember()
  }
}

extension StructuredField.KeyedValues: StructuredField.FieldValue where Value == StructuredField.Member {
  /// Parses a dictionary from bytes (RFC 9651 §4.2.2).
  ///
  /// Only spaces are an empty dictionary.
  ///
  /// - Throws: ``StructuredField/ParseError``.
  public init(parsing bytes: [UInt8], limits: StructuredField.Limits) throws(StructuredField.ParseError) {
    var parser = try StructuredFieldParser(bytes, limits: limits)
    self.init()
    parser.skipSpaces()
    guard parser.next != nil else { return }
    repeat {
      let start = parser.position
      let key = try parser.key()
      if parser.take("=") {
        self[key] = try parser.member()
      } else {
        self[key] = .item(StructuredField.Item(.boolean(true), parameters: try parser.parameters()))
      }
      guard count <= limits.members else { throw StructuredField.ParseError(.tooManyMembers, at: start) }
    } while try parser.nextMember()
  }
}
