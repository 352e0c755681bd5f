import ArgumentParser
import CurlewCore
import CurlewJSON
import FoundationEssentials
import HTTPTypes

extension Get {
  /// Takes the method and the items from the words, as if they were given with options.
  ///
  /// - Throws: `ValidationError`.
  mutating func takeWords() throws {
    let words = try RequestWords(urls)
    urls = words.urls
    if let method = words.method {
      methodStandsFirst = true
      guard request.method == nil, !request.head else {
        throw ValidationError("\(method) before the URL, --method and --head exclude each other.")
      }
      if method == "HEAD" { request.head = true } else { request.method = method }
    }
    for item in words.items where !item.kind.isContent { try take(item) }
    let content = words.items.filter(\.kind.isContent)
    hasContentOfFiles = content.contains { [.fieldFromFile, .jsonFromFile].contains($0.kind) }
    guard !content.isEmpty else {
      if body.asForm, body.form.isEmpty {
        throw ValidationError("--form without a field is for items, such as name=Ada.")
      }
      return
    }
    if body.isForm || !body.part.isEmpty { try takeForm(content) } else { try takeJSON(content) }
    try body.validate()
  }

  private mutating func take(_ item: RequestItem) throws {
    switch item.kind {
    case .query: request.query.append(NameValueArgument(name: item.name, value: item.value))
    case .queryFromFile:
      request.query.append(NameValueArgument(name: item.name, value: try item.contents().withoutLineEnd))
    case .emptyHeader where !item.value.isEmpty:
      throw ValidationError(
        "\(item.shown) has a value behind the semicolon; write '\(item.name):…', or '\(item.name);' for no value.")
    case .header where item.value.allSatisfy { " \t".contains($0) }:
      guard let header = HeaderArgument(argument: "\(item.name):") else {
        throw ValidationError(HeaderArgument.problem(of: "\(item.name):"))
      }
      request.headers.append(header)
    case .headerFromFile: try takeHeader(item, try item.contents().withoutLineEnd)
    default: try takeHeader(item, item.value)
    }
  }

  private mutating func takeHeader(_ item: RequestItem, _ value: String) throws {
    if let problem = HeaderProblem.ofName(item.name) { throw ValidationError(problem) }
    guard let header = HeaderArgument(name: item.name, value: value) else {
      throw ValidationError(HeaderProblem.ofValue(value, of: item.name) ?? "\(item.shown) cannot be sent.")
    }
    request.headers.append(header)
  }

  /// Makes fields of a form; one with a file is a multipart form.
  private mutating func takeForm(_ items: [RequestItem]) throws {
    let isMultipart = !body.part.isEmpty || items.contains { $0.kind == .file }
    if isMultipart {
      body.part = body.form.map { PartArgument(text: $0.value, name: $0.name) } + body.part
      body.form = []
    }
    for item in items {
      if item.kind == .file {
        guard !item.name.isEmpty else {
          throw ValidationError("\(item.shown) is a whole body; in a form, write name@file.")
        }
        guard let part = PartArgument(file: Substring(item.path), name: item.name) else {
          throw ValidationError("\(item.shown): \(PartArgument.problem(of: "="))")
        }
        body.part.append(part)
      } else {
        let text = try item.formText()
        if isMultipart {
          body.part.append(PartArgument(text: text, name: item.name))
        } else {
          body.form.append(NameValueArgument(name: item.name, value: text))
        }
      }
    }
  }

  /// Makes one JSON object, or sends the file of `@file` as it is.
  private mutating func takeJSON(_ items: [RequestItem]) throws {
    guard !body.hasBody else {
      throw ValidationError(
        "\(items[0].shown) is content, which --json, --data, --data-binary and --upload-file exclude.")
    }
    if let file = items.first(where: { $0.kind == .file }) {
      guard file.name.isEmpty else {
        throw ValidationError("\(file.shown) is a file of a form; add --form, or write '@…' to send the file as it is.")
      }
      guard items.count == 1 else {
        throw ValidationError("\(file.shown) is a whole body; leave out the other fields.")
      }
      body.dataBinary = "@" + file.path
      let isTyped = request.headers.contains { $0.field.name == .contentType }
      if !isTyped, let type = MediaType(fileExtension: URL(filePath: file.path).pathExtension),
        let header = HeaderArgument(argument: "Content-Type: \(type)")
      {
        request.headers.append(header)
      }
      return
    }
    var object = JSONObject()
    for item in items {
      guard !item.name.contains("[") else {
        throw ValidationError(
          "\(item.shown) is a name within another value; write the value as JSON, as in a:='{\"b\":1}'.")
      }
      object[item.name] = try item.jsonValue()
    }
    body.json = JSONValue.object(object).text()
    hasObjectOfItems = true
  }
}

extension RequestItem {
  /// The path of the item's file, where `~/` is the home directory, which a shell does not fill in behind a `@`.
  fileprivate var path: String {
    guard value.hasPrefix("~/"), let home = ProcessInfo.processInfo.environment["HOME"] else { return value }
    return home + value.dropFirst()
  }

  /// Returns the text of the item's file.
  ///
  /// - Throws: `ValidationError`.
  fileprivate func contents() throws -> String {
    let bytes = try BodyArguments.contents(of: path, "\(shown): ")
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ValidationError("\(shown): '\(path)' is not UTF-8.")
    }
    return text
  }

  /// Returns the value in a JSON object.
  fileprivate func jsonValue() throws -> JSONValue {
    switch kind {
    case .json: try parsed(value)
    case .jsonFromFile: try parsed(try contents())
    case .fieldFromFile: .string(try contents())
    default: .string(value)
    }
  }

  /// Returns the text in a form, where a JSON value must be no array and no object.
  fileprivate func formText() throws -> String {
    switch try jsonValue() {
    case .string(let text): return text
    case .array, .object: throw ValidationError("\(shown) is an array or an object, which a form cannot hold.")
    case let value: return value.text()
    }
  }

  private func parsed(_ text: String) throws -> JSONValue {
    do throws(JSONError) {
      return try JSONValue(parsing: text)
    } catch {
      throw ValidationError("\(shown) is not JSON; for a text write '\(name)=…'.")
    }
  }
}

extension String {
  /// The text without the line end that an editor leaves at the end of a file.
  fileprivate var withoutLineEnd: String {
    var scalars = unicodeScalars[...]
    if scalars.last == "\n" { scalars.removeLast() }
    if scalars.last == "\r" { scalars.removeLast() }
    return String(scalars)
  }
}
