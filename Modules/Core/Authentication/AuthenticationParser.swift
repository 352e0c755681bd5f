/// Reads lists in which commas separate both challenges and their parameters.
///
/// The character after a name decides its role: with `=` it is a parameter of the current challenge, otherwise it is the
/// scheme of the next one.
struct AuthenticationParser {
  private var index = 0
  private var finished: [AuthenticationChallengeField] = []
  private var scheme: String?
  private var token68: String?
  private var parameters: [FieldParameter] = []

  mutating func challenges(
    _ bytes: Span<UInt8>
  ) throws(FieldError) -> [AuthenticationChallengeField] {
    while let name = try name(bytes) {
      if isParameter(bytes) {
        guard scheme != nil, token68 == nil else { throw error(.malformed) }
        try takeParameter(name, bytes)
      } else {
        try finish()
        scheme = String(copying: bytes, name)
        guard index == bytes.count || isSeparator(bytes[index]) else { throw error(.malformed) }
        takeToken68(bytes)
      }
    }
    try finish()
    return finished
  }

  mutating func parameters(_ bytes: Span<UInt8>) throws(FieldError) -> [FieldParameter] {
    while let name = try name(bytes) {
      guard isParameter(bytes) else { throw error(.malformed) }
      try takeParameter(name, bytes)
    }
    return parameters
  }

  /// Returns the next name after whitespace and commas; nil at the end.
  private mutating func name(_ bytes: Span<UInt8>) throws(FieldError) -> Range<Int>? {
    while index < bytes.count, isSeparator(bytes[index]) { index += 1 }
    guard index < bytes.count else { return nil }
    let start = index
    FieldSyntax.skipToken(bytes, &index)
    guard index > start else { throw error(.malformed) }
    return start..<index
  }

  private func isSeparator(_ byte: UInt8) -> Bool {
    FieldSyntax.isWhitespace(byte) || byte == 0x2C
  }

  private func isParameter(_ bytes: Span<UInt8>) -> Bool {
    var ahead = index
    FieldSyntax.skipWhitespace(bytes, &ahead)
    return ahead < bytes.count && bytes[ahead] == 0x3D
  }

  /// Reads `= value` after the name of a parameter.
  private mutating func takeParameter(_ range: Range<Int>, _ bytes: Span<UInt8>) throws(FieldError) {
    let name = String(lowercasing: bytes, range)
    guard !parameters.contains(where: { $0.name == name }) else { throw error(.duplicate) }
    guard parameters.count < AuthenticationChallengeField.maximumParameters else { throw error(.tooMany) }
    FieldSyntax.skipWhitespace(bytes, &index)
    index += 1  // The equals sign that `isParameter` has seen.
    FieldSyntax.skipWhitespace(bytes, &index)
    if index < bytes.count, bytes[index] == 0x22 {
      let (value, terminated) = FieldSyntax.quotedString(bytes, &index)
      guard terminated else { throw error(.malformed) }
      parameters.append(FieldParameter(name: name, value: value))
      return
    }
    let start = index
    while index < bytes.count, !isSeparator(bytes[index]) {
      guard bytes[index] != 0x22 else { throw error(.malformed) }
      index += 1
    }
    parameters.append(FieldParameter(name: name, value: String(copying: bytes, start..<index)))
  }

  /// Reads a `token68` up to a comma or the end (RFC 9110 §11.2).
  ///
  /// Its grammar is `1*(ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/") *"="`.
  private mutating func takeToken68(_ bytes: Span<UInt8>) {
    var ahead = index
    FieldSyntax.skipWhitespace(bytes, &ahead)
    let start = ahead
    while ahead < bytes.count, Self.isToken68(bytes[ahead]) { ahead += 1 }
    guard ahead > start else { return }
    while ahead < bytes.count, bytes[ahead] == 0x3D { ahead += 1 }
    let end = ahead
    FieldSyntax.skipWhitespace(bytes, &ahead)
    guard ahead == bytes.count || bytes[ahead] == 0x2C else { return }
    token68 = String(copying: bytes, start..<end)
    index = ahead
  }

  private mutating func finish() throws(FieldError) {
    guard let scheme else { return }
    guard finished.count < AuthenticationChallengeField.maximumChallenges else { throw error(.tooMany) }
    finished.append(
      AuthenticationChallengeField(scheme: scheme, token68: token68, parameters: parameters))
    self.scheme = nil
    token68 = nil
    parameters = []
  }

  private func error(_ kind: FieldError.Kind) -> FieldError {
    FieldError(kind, field: "authentication", offset: index)
  }

  private static func isToken68(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x2B, 0x2D...0x2F, 0x5F, 0x7E: true
    default: FieldSyntax.isLetter(byte) || FieldSyntax.isDigit(byte)
    }
  }
}
