public import HTTPTypes

extension HTTPFields {
  /// Creates fields from names and values that are texts.
  ///
  /// ```swift
  /// let fields = try HTTPFields(named: ["X-Request-ID": "7", "X-Region": "north"])
  /// ```
  ///
  /// - Throws: `NetworkError` of kind `invalidRequest` for a text that is no name of a field, and for a value that cannot be sent.
  public init(named fields: KeyValuePairs<String, String>) throws(NetworkError) {
    self.init()
    for (name, value) in fields { append(try Self.field(name, value)) }
  }

  /// Sets the field with a name that is a text, and removes others with this name.
  ///
  /// ```swift
  /// try request.headerFields.set("X-API-Key", to: "k7")
  /// ```
  ///
  /// - Throws: `NetworkError` of kind `invalidRequest` for a text that is no name of a field, and for a value that cannot be sent, such
  ///   as one that was read from a file and ends with a line feed.
  public mutating func set(_ name: String, to value: String) throws(NetworkError) {
    let field = try Self.field(name, value)
    self[field.name] = field.value
  }

  /// The value of the field with a name; nil without such a field. Upper and lower case of the name are equal.
  ///
  /// Several fields of one name are joined with commas, as `HTTPFields` does. To set a field by a text, which can fail, call `set`.
  public subscript(name: String) -> String? {
    get { HTTPField.Name(name).flatMap { self[$0] } }
    @available(*, unavailable, message: "Write try headerFields.set(name, to: value), or headerFields[.accept] = value")
    set {}
  }

  private static func field(_ text: String, _ value: String) throws(NetworkError) -> HTTPField {
    guard let name = HTTPField.Name(text) else {
      throw refusal("'\(text)' is not the name of a header field.", "Use letters, digits and hyphens.")
    }
    // The value is not quoted, since it may be a secret.
    guard HTTPField.isValidValue(value) else {
      throw refusal(
        "The value of \(text) contains a line break, another control character, or a space at an end.", "Remove it.")
    }
    return HTTPField(name: name, value: value)
  }

  private static func refusal(_ message: String, _ advice: String) -> NetworkError {
    NetworkError(.invalidRequest, stage: .preparing, message: message, advice: advice)
  }
}

extension HTTPFields {
  /// Returns the value of a field, combined from all its lines; nil if absent.
  ///
  /// It returns the same as `self[name]`. If the field has one line, as most fields do, it takes a tenth of the time.
  package func value(of name: HTTPField.Name) -> String? {
    guard let first = position(of: name, from: startIndex) else { return nil }
    return position(of: name, from: first + 1) == nil ? self[first].value : self[name]
  }

  /// Returns whether a field is present.
  package func has(_ name: HTTPField.Name) -> Bool { position(of: name, from: startIndex) != nil }

  private func position(of name: HTTPField.Name, from start: Int) -> Int? {
    var position = start
    while position < endIndex {
      if self[position].name.isSame(as: name) { return position }
      position += 1
    }
    return nil
  }
}

extension HTTPField.Name {
  /// Returns whether two names are equal; the lengths usually tell.
  fileprivate func isSame(as other: Self) -> Bool {
    canonicalName.utf8.count == other.canonicalName.utf8.count && self == other
  }
}
