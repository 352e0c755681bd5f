public import HTTPTypes

extension StructuredField {
  /// The value of a whole field: an ``Item``, a ``List`` or a ``Dictionary``.
  ///
  /// Only these three types of RFC 9651 §3 conform. The definition of a field says which of them it uses.
  public protocol FieldValue: Sendable, Hashable {
    /// Parses the value from all given bytes (RFC 9651 §4.2).
    ///
    /// - Throws: ``ParseError`` when the bytes are not such a value, or exceed a limit.
    init(parsing bytes: [UInt8], limits: Limits) throws(ParseError)

    /// Returns the value in its canonical form (RFC 9651 §4.1).
    ///
    /// For an empty list or dictionary the text is empty, and the field must not be sent.
    ///
    /// - Throws: ``SerializationError`` when RFC 9651 does not allow the value.
    func serialized() throws(SerializationError) -> String
  }
}

extension StructuredField.FieldValue {
  /// Parses the value from the text of one field line.
  ///
  /// - Throws: ``StructuredField/ParseError``.
  public init(
    parsing text: String, limits: StructuredField.Limits = StructuredField.Limits()
  ) throws(StructuredField.ParseError) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }

  /// Parses the value from all lines of a field.
  ///
  /// The lines are joined by a comma and a space (RFC 9651 §4.2), so the members of a list may be on several lines. If a string
  /// is split between two lines, its value contains the comma.
  ///
  /// - Throws: ``StructuredField/ParseError`` with the position in the joined text.
  public init(
    parsingLines lines: [String], limits: StructuredField.Limits = StructuredField.Limits()
  ) throws(StructuredField.ParseError) {
    try self.init(parsing: Array(lines.joined(separator: ", ").utf8), limits: limits)
  }
}

extension HTTPFields {
  /// Parses a structured field from all its lines.
  ///
  /// - Returns: The value; nil if the field is absent.
  /// - Throws: ``StructuredField/ParseError``; according to RFC 9651 §4.2, the whole field is then ignored.
  public func structured<Value: StructuredField.FieldValue>(
    _ name: HTTPField.Name, as type: Value.Type = Value.self,
    limits: StructuredField.Limits = StructuredField.Limits()
  ) throws(StructuredField.ParseError) -> Value? {
    let lines = self[values: name]
    return lines.isEmpty ? nil : try Value(parsingLines: lines, limits: limits)
  }

  /// Sets a field to a structured value; an empty list or dictionary removes it.
  ///
  /// - Throws: ``StructuredField/SerializationError``; the fields are then unchanged.
  public mutating func setStructured(
    _ value: some StructuredField.FieldValue, for name: HTTPField.Name
  ) throws(StructuredField.SerializationError) {
    let text = try value.serialized()
    self[name] = text.isEmpty ? nil : text
  }
}
