import HTTPTypes

/// The archived form of header fields: pairs of name and value, in order.
///
/// Repeated fields stay separate.
struct ArchivedFields: Codable {
  var fields: HTTPFields

  init(_ fields: HTTPFields) { self.fields = fields }

  init(from decoder: any Decoder) throws {
    fields = [:]
    var pairs = try decoder.unkeyedContainer()
    while !pairs.isAtEnd {
      var pair = try pairs.nestedUnkeyedContainer()
      let name = try pair.decode(String.self)
      let value = try pair.decode(String.self)
      // `HTTPField` would remove CR, LF and NUL from the value, and so change it.
      guard let name = HTTPField.Name(name), HTTPField.isValidValue(value), pair.isAtEnd else {
        throw DecodingError.dataCorruptedError(
          in: pairs, debugDescription: "A header field must be a pair of a valid name and a valid value.")
      }
      fields.append(HTTPField(name: name, value: value))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var pairs = encoder.unkeyedContainer()
    for field in fields {
      var pair = pairs.nestedUnkeyedContainer()
      try pair.encode(field.name.rawName)
      try pair.encode(field.value)
    }
  }
}
