import ArgumentParser
import CurlewCore
import CurlewSerialization
import FoundationEssentials

/// A part of a multipart form, as curl's `-F` has it.
///
/// `name=value`, `name=@FILE` for a file, and `name=<FILE` for its content as a value, each with `;type=image/png` and `;filename=b.png`
/// behind it. A value in double quotes is sent without them, whatever it contains.
struct PartArgument: ExplainedArgument, Sendable {
  private enum Content {
    case text(String)
    /// The content of a file as a value, which has no file's name.
    case content(of: String)
    case file(String)
  }

  /// What stands behind a value: `;type=image/png;filename=b.png`. The last of each counts.
  private struct Attributes {
    var mediaType: MediaType?
    var fileName: String?

    static let names = ["type=", "filename="]

    /// Takes an attribute, unless it has a value already; false if its value is not a media type.
    mutating func take(_ attribute: Substring) -> Bool {
      guard let value = String(attribute).parted(at: "=")?.1 else { return false }
      var rest = value
      let text = PartArgument.takeQuoted(&rest) ?? String(value)
      guard attribute.hasPrefix("type=") else {
        fileName = fileName ?? text
        return true
      }
      guard let type = MediaType(text) else { return false }
      mediaType = mediaType ?? type
      return true
    }
  }

  private let name: String
  private let content: Content
  private let attributes: Attributes

  init?(argument: String) {
    guard let field = NameValueArgument(argument: argument) else { return nil }
    self.init(value: field.value, name: field.name)
  }

  /// Creates a part of a text, whatever it begins with.
  init(text: String, name: String) { (self.name, content, attributes) = (name, .text(text), Attributes()) }

  /// Creates a part of a file: `FILE` or `FILE;type=image/png`; nil if `type=` is not followed by a media type.
  init?(file path: Substring, name: String) { self.init(value: "@" + path, name: name) }

  private init?(value: String, name: String) {
    let mark = value.unicodeScalars.first.flatMap { "@<".unicodeScalars.contains($0) ? $0 : nil }
    var rest = mark == nil ? value[...] : value[value.unicodeScalars.index(after: value.startIndex)...]
    var attributes = Attributes()
    let quoted = Self.takeQuoted(&rest)
    while let (attribute, before) = Self.lastAttribute(of: rest) {
      guard attributes.take(attribute) else { return nil }
      rest = before
    }
    guard quoted == nil || rest.isEmpty else { return nil }
    let text = quoted ?? String(rest)
    self.name = name
    self.attributes = attributes
    content = mark == nil ? .text(text) : mark == "@" ? .file(text) : .content(of: text)
  }

  /// Returns the last `type=` or `filename=` behind a semicolon, with its value, and what stands before; nil if there is none.
  private static func lastAttribute(of text: Substring) -> (attribute: Substring, before: Substring)? {
    let places = Attributes.names.compactMap { text.ranges(of: ";" + $0).last }
    guard let place = places.max(by: { $0.lowerBound < $1.lowerBound }) else { return nil }
    return (text[text.index(after: place.lowerBound)...], text[..<place.lowerBound])
  }

  /// Removes a text in double quotes, in which a backslash escapes a quote or a backslash, and returns it without them.
  ///
  /// - Returns: Nil, and nothing is removed, unless an attribute or nothing follows the quotes.
  private static func takeQuoted(_ text: inout Substring) -> String? {
    var rest = text.unicodeScalars
    guard rest.popFirst() == "\"" else { return nil }
    var quoted = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      if scalar == "\"" {
        guard rest.isEmpty || rest.first == ";" else { return nil }
        text = Substring(rest)
        return String(quoted)
      }
      let isEscape = scalar == "\\" && rest.first.map { "\"\\".unicodeScalars.contains($0) } == true
      quoted.append(isEscape ? rest.removeFirst() : scalar)
    }
    return nil
  }

  static func problem(of argument: String) -> String {
    argument.contains("=")
      ? "Its ;type= is not a media type, such as ;type=image/png, or something else stands behind its quotes."
      : "Write name=value, name=@file or name=@file;type=image/png."
  }

  /// Whether the part is read from standard input.
  var isStandardInput: Bool {
    switch content {
    case .text: false
    case .content(let path), .file(let path): path == "-"
    }
  }

  /// Returns the option of curl that adds the part.
  func curlOption(hidesText: Bool) -> (name: String, value: String) {
    let behind =
      (attributes.mediaType.map { ";type=\($0)" } ?? "")
      + (attributes.fileName.map { ";filename=\(Self.quoted($0))" } ?? "")
    switch content {
    case .text(let text) where behind.isEmpty:
      return ("--form-string", "\(name)=\(hidesText ? Redaction.mark : text)")
    case .text(let text):
      return ("--form", "\(name)=\(Self.quoted(hidesText ? Redaction.mark : text, always: true))\(behind)")
    case .content(let path): return ("--form", "\(name)=<\(Self.quoted(path))\(behind)")
    case .file(let path): return ("--form", "\(name)=@\(Self.quoted(path))\(behind)")
    }
  }

  /// Returns a text in double quotes, if it has what curl would take for its end.
  private static func quoted(_ text: String, always: Bool = false) -> String {
    guard always || text.contains(where: { ";,\"\\".contains($0) }) else { return text }
    return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  /// Adds the part to a form.
  ///
  /// - Throws: `ValidationError` when the file cannot be read or the name cannot be sent.
  func append(to form: inout MultipartForm) throws {
    do throws(NetworkError) {
      switch content {
      case .text(let text):
        try form.append(Data(text.utf8), name: name, fileName: attributes.fileName, mediaType: attributes.mediaType)
      case .content("-"), .file("-"):
        let isFile = if case .file = content { true } else { false }
        try form.append(
          .standardInput, name: name, fileName: attributes.fileName ?? (isFile ? "-" : nil),
          mediaType: attributes.mediaType)
      case .content(let path):
        try form.append(
          .file(URL(filePath: path)), name: name, fileName: attributes.fileName, mediaType: attributes.mediaType)
      case .file(let path):
        try form.append(
          file: URL(filePath: path), name: name, fileName: attributes.fileName, mediaType: attributes.mediaType)
      }
    } catch {
      throw ValidationError("The part '\(name)' cannot be sent: \(error.messageAndAdvice)")
    }
  }
}
