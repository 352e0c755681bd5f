import ArgumentParser
import CurlewCore
import CurlewSerialization
import FoundationEssentials

/// A part of a multipart form: `name=value`, `name=@FILE` or `name=@FILE;type=image/png`.
struct PartArgument: ExplainedArgument, Sendable {
  private enum Content {
    case text(String)
    case file(String, MediaType?)
  }

  private let name: String
  private let content: Content

  init?(argument: String) {
    guard let field = NameValueArgument(argument: argument) else { return nil }
    guard let path = field.value.fileReference else {
      self.init(text: field.value, name: field.name)
      return
    }
    self.init(file: path, name: field.name)
  }

  /// Creates a part of a text, whatever it begins with.
  init(text: String, name: String) { (self.name, content) = (name, .text(text)) }

  /// Creates a part of a file: `FILE` or `FILE;type=image/png`; nil if `type=` is not followed by a media type.
  init?(file path: Substring, name: String) {
    self.name = name
    guard let marker = path.ranges(of: ";type=").last else {
      content = .file(String(path), nil)
      return
    }
    guard let type = MediaType(String(path[marker.upperBound...])) else { return nil }
    content = .file(String(path[..<marker.lowerBound]), type)
  }

  static func problem(of argument: String) -> String {
    argument.contains("=")
      ? "Its ;type= is not a media type; write one such as ;type=image/png."
      : "Write name=value, name=@file or name=@file;type=image/png."
  }

  /// Whether the part is read from standard input.
  var isStandardInput: Bool { if case .file("-", _) = content { true } else { false } }

  /// Returns the option of curl that adds the part.
  func curlOption(hidesText: Bool) -> (name: String, value: String) {
    switch content {
    case .text(let text): ("--form-string", "\(name)=\(hidesText ? Redaction.mark : text)")
    case .file(let path, let type): ("--form", "\(name)=@\(path)\(type.map { ";type=\($0)" } ?? "")")
    }
  }

  /// Adds the part to a form.
  ///
  /// - Throws: `ValidationError` when the file cannot be read or the name cannot be sent.
  func append(to form: inout MultipartForm) throws {
    do throws(NetworkError) {
      switch content {
      case .text(let text): try form.append(text, name: name)
      case .file("-", let type): try form.append(.standardInput, name: name, fileName: "-", mediaType: type)
      case .file(let path, let type): try form.append(file: URL(filePath: path), name: name, mediaType: type)
      }
    } catch {
      throw ValidationError("The part '\(name)' cannot be sent: \(error.messageAndAdvice)")
    }
  }
}
