import ArgumentParser
import CurlewCore
import FoundationEssentials
import HTTPTypes

/// What to send.
struct BodyArguments: ParsableArguments {
  @Option(help: ArgumentHelp("A JSON body; @FILE takes a file's, @- the standard input's.", valueName: "text|@file"))
  var json: String?

  @Option(
    help: ArgumentHelp("A body as it is; @FILE takes a file's, @- the standard input's.", valueName: "text|@file"))
  var data: String?

  var hasBody: Bool { json != nil || data != nil }

  func validate() throws {
    if json != nil, data != nil { throw ValidationError("--json and --data exclude each other.") }
  }

  /// Puts the body into a request, with the fields that go with it unless they are there.
  func apply(to request: inout Request) throws {
    guard let text = json ?? data else { return }
    request.body = try Self.body(text)
    let type = json == nil ? "application/octet-stream" : "application/json"
    if request.headerFields[.contentType] == nil { request.headerFields[.contentType] = type }
    if json != nil, request.headerFields[.accept] == nil { request.headerFields[.accept] = "application/json" }
  }

  private static func body(_ text: String) throws -> Body {
    guard text.first == "@" else { return .text(text) }
    let path = String(text.dropFirst())
    if path == "-" { return .stream(replayable: false) { StandardInput() } }
    do {
      return try .file(URL(filePath: path))
    } catch {
      throw ValidationError("'\(path)' cannot be read as a body: \(error.message)")
    }
  }
}

/// Standard input as a body, read as it is sent.
private final class StandardInput: BodyChunks {
  func next() async throws -> Data? {
    let bytes = try await BlockingInput.standard.read()
    return bytes.isEmpty ? nil : bytes
  }
}
