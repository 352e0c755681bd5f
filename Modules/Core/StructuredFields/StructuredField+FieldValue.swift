public import HTTPTypes

extension StructuredField {
  /// What a whole field can be: an ``Item``, a ``List`` or a ``Dictionary``.
  ///
  /// The three types of RFC 9651 §3 conform; a field's definition says which one it is.
  public protocol FieldValue: Sendable, Hashable {
    /// Reads the value from bytes, all of them (RFC 9651 §4.2).
    ///
    /// - Throws: ``ParseError`` when the bytes are not such a value or a limit is passed.
    init(parsing bytes: [UInt8], limits: Limits) throws(ParseError)

    /// Writes the value in its canonical form (RFC 9651 §4.1).
    ///
    /// An empty list or dictionary is written as an empty text and means that the field is not sent.
    ///
    /// - Throws: ``SerializationError`` when the value holds what RFC 9651 cannot write.
    func serialized() throws(SerializationError) -> String
  }
}

extension StructuredField.FieldValue {
  /// Reads the value from the text of one line.
  ///
  /// - Throws: ``StructuredField/ParseError``.
  public init(
    parsing text: String, limits: StructuredField.Limits = StructuredField.Limits()
  ) throws(StructuredField.ParseError) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }

  /// Reads the value from the lines of a field that was sent more than once.
  ///
  /// The lines are joined by a comma and a space, as RFC 9651 §4.2 says: a list may be spread over lines between
  /// members. A string cut by a line end reads as if it held the comma.
  ///
  /// - Throws: ``StructuredField/ParseError`` with the position in the joined text.
  public init(
    parsingLines lines: [String], limits: StructuredField.Limits = StructuredField.Limits()
  ) throws(StructuredField.ParseError) {
    try self.init(parsing: Array(lines.joined(separator: ", ").utf8), limits: limits)
  }
}

extension HTTPFields {
  /// Reads a structured field, all its lines together.
  ///
  /// - Returns: The value; nil when there is no such field.
  /// - Throws: ``StructuredField/ParseError``; RFC 9651 §4.2 then has the whole field ignored.
  public func structured<Value: StructuredField.FieldValue>(
    _ name: HTTPField.Name, as type: Value.Type = Value.self,
    limits: StructuredField.Limits = StructuredField.Limits()
  ) throws(StructuredField.ParseError) -> Value? {
    let lines = self[values: name]
    return lines.isEmpty ? nil : try Value(parsingLines: lines, limits: limits)
  }

  /// Replaces a field by a structured one; an empty list or dictionary removes it.
  ///
  /// - Throws: ``StructuredField/SerializationError``; the fields are then as before.
  public mutating func setStructured(
    _ value: some StructuredField.FieldValue, for name: HTTPField.Name
  ) throws(StructuredField.SerializationError) {
    let text = try value.serialized()
    self[name] = text.isEmpty ? nil : text
  }
}
