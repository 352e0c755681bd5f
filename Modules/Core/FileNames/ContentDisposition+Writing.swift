extension ContentDisposition {
  /// Writes the field value.
  ///
  /// In the header dialect, a value outside ISO-8859-1 is written as an extended parameter, unless one of that name already
  /// exists.
  ///
  /// - Throws: `FieldError` of kind `unrepresentable` when the type or a parameter's name is not a token, an extended value is
  ///   not encoded, or a value cannot be written: in the plain dialect outside ISO-8859-1, in a form with control characters
  ///   other than line breaks and tabs.
  public func fieldValue(_ dialect: Dialect = .header) throws(FieldError) -> String {
    guard FieldSyntax.isToken(type) else { throw Self.unrepresentable }
    var result = type
    for parameter in parameters {
      guard FieldSyntax.isToken(parameter.name) else { throw Self.unrepresentable }
      let written =
        dialect == .formData
        ? try formParameter(parameter) : try headerParameter(parameter, dialect)
      if let written { result += "; " + written }
    }
    return result
  }

  private static var unrepresentable: FieldError { FieldError(.unrepresentable, field: field) }

  private func headerParameter(
    _ parameter: FieldParameter, _ dialect: Dialect
  ) throws(FieldError) -> String? {
    let (name, value) = (parameter.name, parameter.value)
    if name.utf8.last == 0x2A {
      guard FieldSyntax.isToken(value) else { throw Self.unrepresentable }
      return name + "=" + value
    }
    if Self.isLatin1Text(value) { return name + "=" + FieldSyntax.quoted(value) }
    guard dialect != .plain else { throw Self.unrepresentable }
    guard parameters[name + "*"] == nil else { return nil }
    return name + "*=" + ExtendedValue.encode(value)
  }

  private func formParameter(_ parameter: FieldParameter) throws(FieldError) -> String {
    var value = ""
    for scalar in parameter.value.unicodeScalars {
      switch scalar {
      case "\"": value += "%22"
      case "\r": value += "%0D"
      case "\n": value += "%0A"
      default:
        guard scalar == "\t" || (scalar.value >= 0x20 && scalar.value != 0x7F) else {
          throw Self.unrepresentable
        }
        value.unicodeScalars.append(scalar)
      }
    }
    return parameter.name + "=\"" + value + "\""
  }

  /// Returns whether a text has only printable ISO-8859-1 characters and tabs.
  private static func isLatin1Text(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      scalar == "\t" || (" "..."~").contains(scalar) || (0xA0...0xFF).contains(scalar.value)
    }
  }
}
