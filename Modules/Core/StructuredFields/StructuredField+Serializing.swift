extension StructuredField.Item {
  /// Writes the item (RFC 9651 §4.1.3).
  ///
  /// - Throws: ``StructuredField/SerializationError``.
  public func serialized() throws(StructuredField.SerializationError) -> String {
    var writer = StructuredFieldWriter()
    try writer.write(self)
    return writer.text
  }
}

extension StructuredField.List {
  /// Writes the list (RFC 9651 §4.1.1); an empty one is an empty text.
  ///
  /// - Throws: ``StructuredField/SerializationError``.
  public func serialized() throws(StructuredField.SerializationError) -> String {
    var writer = StructuredFieldWriter()
    for member in members {
      writer.separate()
      try writer.write(member)
    }
    return writer.text
  }
}

extension StructuredField.KeyedValues where Value == StructuredField.Member {
  /// Writes the dictionary (RFC 9651 §4.1.2); an empty one is an empty text.
  ///
  /// - Throws: ``StructuredField/SerializationError``.
  public func serialized() throws(StructuredField.SerializationError) -> String {
    var writer = StructuredFieldWriter()
    for entry in entries {
      writer.separate()
      try writer.write(key: entry.key)
      if case .item(let item) = entry.value, item.value == .boolean(true) {
        try writer.write(item.parameters)
      } else {
        writer.text += "="
        try writer.write(entry.value)
      }
    }
    return writer.text
  }
}
