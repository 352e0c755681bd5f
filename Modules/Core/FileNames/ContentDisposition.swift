/// How content is to be presented and what it is called (RFC 6266, RFC 7578 in forms).
///
///     ContentDisposition("attachment; filename*=UTF-8''%E2%82%AC.pdf").filename  // "€.pdf"
///     try ContentDisposition(filename: "€.pdf").fieldValue()
///     // attachment; filename="?.pdf"; filename*=UTF-8''%E2%82%AC.pdf
///
/// `filename` is what the sender wrote, with paths and all: make a `SuggestedFileName` of it
/// before a file is named so.
public struct ContentDisposition: Sendable, Hashable {
  /// The most parameters that are read; later ones are ignored.
  public static let maximumParameters = 64

  /// The rules by which parameters are read and written.
  public enum Dialect: Sendable, Hashable {
    /// A response's header: RFC 6266 with the extended parameters of RFC 8187.
    case header
    /// The same without extended parameters: a `*` in a name means nothing.
    case plain
    /// A part of a form: quote and line breaks as `%22`, `%0D`, `%0A`, as HTML has it.
    case formData
  }

  /// What ASCII-only readers get to see of another file name.
  public enum Fallback: Sendable, Hashable {
    /// The name with `?` for what is not printable ASCII.
    case automatic
    /// Nothing: only `filename*` is written.
    case none
    /// This text, which must be printable ASCII.
    case text(String)
  }

  /// The disposition, as `attachment`, `inline` or `form-data`.
  ///
  /// Parsing gives it in lower case.
  public var type: String
  /// The parameters in order.
  ///
  /// Parsing gives names in lower case, each once. An extended one that can be decoded is here
  /// twice: as `filename*` the way it was sent, and decoded as `filename`, where it takes the
  /// place of a plain one.
  public var parameters: [FieldParameter]

  /// Creates a value of parts; they are checked when it is written.
  public init(type: String, parameters: [FieldParameter]) {
    self.type = type
    self.parameters = parameters
  }

  /// Creates a value that names a file, in ASCII and, where that is not all of it, in UTF-8.
  ///
  /// Throws `unrepresentable` when the type is not a token or the fallback not printable ASCII.
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

  /// The file name as sent, `filename*` before `filename`; nil without one.
  public var filename: String? {
    parameters["filename*"].flatMap(ExtendedValue.decode) ?? parameters["filename"]
  }

  /// The name of a form's field; nil without one.
  public var name: String? { parameters["name"] }

  /// Whether content is to be shown in place; all types but `inline` mean to save it.
  public var isInline: Bool { type.equalsIgnoringASCIICase("inline") }

  static let field = "Content-Disposition"

  private static func isPrintableASCII(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
  }

  private static func substitute(for text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { (" "..."~").contains($0) ? $0 : "?" }))
  }

  /// Some readers decode `%20` in a plain name, so that it needs the unambiguous form beside it.
  private static func holdsPercentEscape(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.indices.dropLast(2).contains { index in
      bytes[index] == 0x25 && FieldSyntax.hexValue(bytes[index + 1]) != nil
        && FieldSyntax.hexValue(bytes[index + 2]) != nil
    }
  }
}
