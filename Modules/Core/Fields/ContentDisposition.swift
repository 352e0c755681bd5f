public import HTTPTypes

/// How to present content, and its file name (RFC 6266; in forms, RFC 7578).
///
///     ContentDisposition("attachment; filename*=UTF-8''%E2%82%AC.pdf").filename  // "€.pdf"
///     try ContentDisposition(filename: "€.pdf").fieldValue()
///     // attachment; filename="?.pdf"; filename*=UTF-8''%E2%82%AC.pdf
///
/// `filename` is what the sender wrote, including any path. Create a `SuggestedFileName` from it before you use it to name a
/// file.
public struct ContentDisposition: Sendable, Hashable {
  /// The most parameters that are read; later ones are ignored.
  public static let maximumParameters = 64

  /// The rules for reading and writing parameters.
  public enum Dialect: Sendable, Hashable {
    /// A response header: RFC 6266 with the extended parameters of RFC 8187.
    case header
    /// A response header without extended parameters: a `*` in a name is ordinary.
    case plain
    /// A part of a form: HTML writes quotes and line breaks as `%22`, `%0D`, `%0A`.
    case formData
  }

  /// The plain `filename` beside an extended one, for readers of ASCII only.
  public enum Fallback: Sendable, Hashable {
    /// The name, with `?` for each character that is not printable ASCII.
    case automatic
    /// None: only `filename*` is written.
    case none
    /// This text, which must be printable ASCII.
    case text(String)
  }

  /// The disposition type, such as `attachment`, `inline` or `form-data`.
  ///
  /// Parsing converts it to lower case.
  public var type: String
  /// The parameters in order.
  ///
  /// Parsing converts names to lower case and keeps each name once. An extended parameter that can be decoded appears twice:
  /// as sent under `filename*`, and decoded under `filename`, where it replaces a plain one.
  public var parameters: [FieldParameter]

  /// Creates a value from its parts, which are checked when it is written.
  public init(type: String, parameters: [FieldParameter]) {
    self.type = type
    self.parameters = parameters
  }

  /// Creates a value with a file name, in ASCII and, if necessary, in UTF-8.
  ///
  /// - Throws: `FieldError` of kind `unrepresentable` when the type is not a token or the fallback is not printable ASCII.
  public init(
    type: String = "attachment", filename: String?, fallback: Fallback = .automatic
  ) throws(FieldError) {
    guard FieldSyntax.isToken(type) else { throw FieldError(.unrepresentable, field: Self.field) }
    self.init(type: type, parameters: [])
    guard let filename else { return }
    let isPlain = Self.isPrintableASCII(filename)
    let substitute: String?
    switch fallback {
    case .automatic: substitute = Self.substitute(for: filename)
    case .none: substitute = nil
    case .text(let text):
      guard Self.isPrintableASCII(text) else { throw FieldError(.unrepresentable, field: Self.field) }
      substitute = text
    }
    let plain = substitute ?? (isPlain ? filename : nil)
    if let plain { parameters.append(FieldParameter(name: "filename", value: plain)) }
    if plain != filename || Self.holdsPercentEscape(filename) {
      parameters.append(FieldParameter(name: "filename*", value: ExtendedValue.encode(filename)))
    }
  }

  /// The file name as sent, `filename*` before `filename`; nil if absent.
  public var filename: String? {
    parameters["filename*"].flatMap(ExtendedValue.decode) ?? parameters["filename"]
  }

  /// The name of a form's field; nil if absent.
  public var name: String? { parameters["name"] }

  /// Whether to show the content in place; every type except `inline` means to save.
  public var isInline: Bool { type.equalsIgnoringASCIICase("inline") }

  static let field = "Content-Disposition"

  private static func isPrintableASCII(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
  }

  private static func substitute(for text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { (" "..."~").contains($0) ? $0 : "?" }))
  }

  /// Returns whether a text contains a percent escape.
  ///
  /// Some readers decode `%20` in a plain name, so such a name also needs the extended form.
  private static func holdsPercentEscape(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.indices.dropLast(2).contains { index in
      bytes[index] == 0x25 && FieldSyntax.hexValue(bytes[index + 1]) != nil
        && FieldSyntax.hexValue(bytes[index + 2]) != nil
    }
  }
}

extension ContentDisposition {
  /// Reads the first `Content-Disposition` line of a message; nil if absent.
  ///
  /// Bytes that are not UTF-8 are read as ISO-8859-1.
  public init?(of fields: HTTPFields) {
    guard let field = fields[fields: .contentDisposition].first else { return nil }
    self.init(field.text)
  }

  /// Reads a field value; it never fails.
  ///
  /// A value that makes no sense has no file name. Parsing is as lenient as in browsers: an unquoted value extends to the next
  /// semicolon, including spaces and commas; a parameter without a value, or with an unterminated quote, is ignored; of
  /// parameters with the same name, the first counts.
  public init(_ text: String, dialect: Dialect = .header) {
    let bytes = text.utf8Span.span
    var index = 0
    while index < bytes.count, bytes[index] != 0x3B { index += 1 }
    let range = Self.trimmed(bytes, 0..<index)
    self.init(type: String(lowercasing: bytes, range), parameters: [])
    while index < bytes.count, parameters.count < Self.maximumParameters {
      index += 1  // The semicolon.
      takeParameter(bytes, &index, dialect)
    }
  }

  /// Reads one parameter and moves to the semicolon after it.
  private mutating func takeParameter(_ bytes: Span<UInt8>, _ index: inout Int, _ dialect: Dialect) {
    let nameStart = index
    while index < bytes.count, bytes[index] != 0x3B, bytes[index] != 0x3D { index += 1 }
    let name = Self.trimmed(bytes, nameStart..<index)
    guard FieldSyntax.skip(0x3D, bytes, &index) else { return }
    FieldSyntax.skipWhitespace(bytes, &index)
    let isQuoted = index < bytes.count && bytes[index] == 0x22
    let value: String?
    if isQuoted {
      value = dialect == .formData ? Self.formValue(bytes, &index) : Self.quotedValue(bytes, &index)
      while index < bytes.count, bytes[index] != 0x3B { index += 1 }
    } else {
      let start = index
      while index < bytes.count, bytes[index] != 0x3B { index += 1 }
      value = String(copying: bytes, Self.trimmed(bytes, start..<index))
    }
    guard let value, !name.isEmpty else { return }
    take(String(lowercasing: bytes, name), value, isQuoted: isQuoted, dialect)
  }

  private mutating func take(_ name: String, _ value: String, isQuoted: Bool, _ dialect: Dialect) {
    guard parameters[name] == nil else { return }
    parameters.append(FieldParameter(name: name, value: value))
    guard dialect != .plain, !isQuoted, name.utf8.count > 1, name.utf8.last == 0x2A,
      let decoded = ExtendedValue.decode(value)
    else { return }
    let plainName = String(name.dropLast())
    if let index = parameters.firstIndex(where: { $0.name == plainName }) {
      parameters[index].value = decoded
    } else {
      parameters.append(FieldParameter(name: plainName, value: decoded))
    }
  }

  private static func quotedValue(_ bytes: Span<UInt8>, _ index: inout Int) -> String? {
    let (value, terminated) = FieldSyntax.quotedString(bytes, &index)
    return terminated ? value : nil
  }

  /// Reads a quoted value in which a backslash is an ordinary character.
  private static func formValue(_ bytes: Span<UInt8>, _ index: inout Int) -> String? {
    index += 1
    var value: [UInt8] = []
    while index < bytes.count, bytes[index] != 0x22 {
      if let escaped = formEscape(bytes, index) {
        value.append(escaped)
        index += 3
      } else {
        value.append(bytes[index])
        index += 1
      }
    }
    return FieldSyntax.skip(0x22, bytes, &index) ? String(decoding: value, as: UTF8.self) : nil
  }

  /// Returns the quote or line break whose percent escape starts at `index`.
  ///
  /// Nil for all other escapes, which stay text.
  private static func formEscape(_ bytes: Span<UInt8>, _ index: Int) -> UInt8? {
    guard index + 2 < bytes.count, bytes[index] == 0x25 else { return nil }
    switch (bytes[index + 1], bytes[index + 2]) {
    case (0x32, 0x32): return 0x22
    case (0x30, 0x41), (0x30, 0x61): return 0x0A
    case (0x30, 0x44), (0x30, 0x64): return 0x0D
    default: return nil
    }
  }

  private static func trimmed(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, FieldSyntax.isWhitespace(bytes[start]) { start += 1 }
    while end > start, FieldSyntax.isWhitespace(bytes[end - 1]) { end -= 1 }
    return start..<end
  }
}

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

/// The value of a parameter whose name ends in `*` (RFC 8187).
///
/// An example is `UTF-8''%E2%82%AC%20rates`.
enum ExtendedValue {
  /// Decodes a value in UTF-8 or ISO-8859-1.
  ///
  /// The language is ignored, and printable ASCII that should have been escaped is accepted. The result is nil for other
  /// charsets, invalid escapes and empty values.
  static func decode(_ text: String) -> String? {
    let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let charset = Charset(label: String(parts[0])), !parts[2].isEmpty,
      let bytes = percentDecoded(parts[2].utf8)
    else { return nil }
    switch charset {
    case .utf8: return String(validating: bytes, as: UTF8.self)
    case .iso88591: return String(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
    default: return nil
    }
  }

  /// Encodes text as UTF-8 without a language.
  static func encode(_ text: String) -> String {
    let hex = Array("0123456789ABCDEF".utf8)
    var bytes = Array("UTF-8''".utf8)
    for byte in text.utf8 {
      if isAttributeByte(byte) {
        bytes.append(byte)
      } else {
        bytes += [0x25, hex[Int(byte >> 4)], hex[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func percentDecoded(_ text: Substring.UTF8View) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text.makeIterator()
    while let byte = rest.next() {
      guard byte >= 0x20, byte < 0x7F else { return nil }
      guard byte == 0x25 else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.next().flatMap(FieldSyntax.hexValue),
        let low = rest.next().flatMap(FieldSyntax.hexValue)
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// Returns whether a byte is an `attr-char` (RFC 8187 §3.2.1).
  ///
  /// That is a token byte except `*`, `'` and `%`.
  private static func isAttributeByte(_ byte: UInt8) -> Bool {
    FieldSyntax.isToken(byte) && byte != 0x2A && byte != 0x27 && byte != 0x25
  }
}
