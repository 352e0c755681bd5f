extension StructuredField.Item {
  /// Returns the item as text (RFC 9651 §4.1.3).
  ///
  /// - Throws: ``StructuredField/SerializationError``.
  public func serialized() throws(StructuredField.SerializationError) -> String {
    var writer = StructuredFieldWriter()
    try writer.write(self)
    return writer.text
  }
}

extension StructuredField.List {
  /// Returns the list as text (RFC 9651 §4.1.1); empty for an empty list.
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
  /// Returns the dictionary as text (RFC 9651 §4.1.2); empty for an empty one.
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
