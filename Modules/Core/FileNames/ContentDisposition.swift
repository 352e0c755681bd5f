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
