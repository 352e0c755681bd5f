import Curlew
import CurlewBatch
import CurlewCore
import CurlewLoading
import CurlewSecurity
import CurlewSerialization
import CurlewStorage
import CurlewTestSupport
import Foundation
import Testing

/// What an app shows that prints `localizedDescription`: a sentence, and not a type and a number.
@Suite struct LocalizedErrorTests {
  /// Returns the error that some work throws.
  private func error(of work: () throws -> Void) throws -> any Error {
    do { try work() } catch { return error }
    throw CancellationError()
  }

  @Test func `an error of each module describes itself`() throws {
    let url = URL(filePath: "/")
    let errors: [any Error] = [
      NetworkError(.connectionLost, stage: .sending, message: "The connection was lost."),
      FileSystemError(code: 28, operation: "write", path: "/f"),
      ServerTrustError(.untrusted, message: "The server's certificates are not trusted."),
      CacheStoreError(.tooLarge), BatchError(.storeFull, "The disk is full."),
      try error { _ = try Origin(url) }, try error { _ = try HostName("a b") },
      try error { _ = try JSONValue(parsing: "[1") }, try error { _ = try XMLDocument(parsing: Data("<a>".utf8)) },
      try error { _ = try YAMLValue(parsing: "[1") },
      try error { _ = try XMLDocument(parsing: Data("<a/>".utf8)).elements(XPath("//[")) },
      try error { _ = try PublicKeyPin("sha256/no") },
    ]
    for error in errors {
      #expect(error.localizedDescription == "\(error)", "\(type(of: error))")
      #expect(!error.localizedDescription.contains("could not be completed"))
    }
  }

  @Test func `an error of each module says what to do`() throws {
    let errors: [any Error] = [
      FileSystemError(code: 28, operation: "write", path: "/f"), BatchError(.storeFull, "The disk is full."),
      JournalError(.damaged, path: "/f"), ParametersError(.notNamed), try error { _ = try Origin(URL(filePath: "/")) },
      try error { _ = try PublicKeyPin("sha256/no") }, try error { _ = try Certificate.all(inFile: "/none.pem") },
      try error { _ = try Certificate.all(inFile: "~/none.pem") },
      try error { _ = try FileCredentialStore("/proc/version") },
    ]
    for error in errors {
      let advice = try #require((error as? any LocalizedError)?.recoverySuggestion, "\(error)")
      #expect(advice.hasSuffix(".") && advice.first?.isUppercase == true, "\(advice)")
      #expect(!"\(error)".contains(";") && !"\(error)".contains(".."), "\(error)")
    }
  }

  @Test func `an app that shows an error shows the request`() async throws {
    let session = try HTTPSession(StubTransport(.json("{}", status: .notFound))) { configuration in
      configuration.baseURL = try BaseURL("https://api.example.com/v1/")
    }
    let error = await #expect(throws: NetworkError.self) { try await session.get("birds/7?key=secret", .data) }
    #expect(
      (error as (any Error)?)?.localizedDescription
        == "GET https://api.example.com/v1/birds/7: The server answered 404 Not Found. "
        + "(unacceptable-status, while validating the response)")
  }

  @Test func `a path with a slash begins at the host, and the 404 says so`() async throws {
    let session = try HTTPSession(StubTransport(.json("{}", status: .notFound))) { configuration in
      configuration.baseURL = try BaseURL("https://api.example.com/v1/")
    }
    let error = await #expect(throws: NetworkError.self) { try await session.get("/sightings/7", .data) }
    #expect(error?.description.hasPrefix("GET https://api.example.com/sightings/7: ") == true)
  }

  @Test func `an item of a batch names the request that failed`() throws {
    let request = try Request(.get, "https://api.example.com/a?key=secret")
    let lost = NetworkError(.connectionLost, stage: .sending, message: "The connection was lost.").with {
      $0.request = request
    }
    #expect(
      BatchFailure(lost)
        == BatchFailure(
          kind: "connection-lost",
          message:
            "GET https://api.example.com/a: The connection was lost. (connection-lost, while sending the request)"))
  }

  @Test func `files can be given as paths and as URLs`() async throws {
    let path = FileManager.default.temporaryDirectory.path + "/curlew-files-\(UInt64.random(in: 0 ... .max)).txt"
    try Data("hello".utf8).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let recording = RecordingTransport(StubTransport(.bytes(Data("hello".utf8))))
    let session = try HTTPSession(recording) { $0.baseURL = try BaseURL("https://api.example.com/") }
    try await session.post("a", .file(path))
    try await session.post("a", .file(URL(filePath: path)))
    #expect(recording.requests.map(\.body.length) == [5, 5])
    #expect(recording.requests.allSatisfy { $0.headerFields[.contentType] == "text/plain" })
    var form = MultipartForm()
    try form.append(file: path, name: "a")
    try form.append(file: URL(filePath: path), name: "a")
    #expect(form.parts.count == 2 && form.parts[0].headerFields == form.parts[1].headerFields)
    for copy in [path + "-1", path + "-2"] {
      defer { try? FileManager.default.removeItem(atPath: copy) }
      let file = copy.hasSuffix("1") ? session.download("a", to: copy) : session.download("a", to: URL(filePath: copy))
      #expect(try await file.value.path == copy)
    }
    let remote = try #require(URL(string: "https://api.example.com/f"))
    let error = await #expect(throws: NetworkError.self) { _ = try await session.download("a", to: remote).value }
    #expect(error?.kind == .fileError && error?.message.contains("is not a file URL") == true)
  }

  @Test func `a stub answers with a value as JSON or with a text in JSON`() async throws {
    struct Bird: Codable, Hashable, Sendable { var id: Int }
    for answer in [try StubAnswer.json(Bird(id: 7)), .json(#"{"id":7}"#)] {
      let session = try HTTPSession(StubTransport(answer)) { configuration in
        configuration.baseURL = try BaseURL("https://api.example.com/")
        configuration.coding = .json
      }
      let bird: Bird = try await session.get("a")
      #expect(bird == Bird(id: 7))
    }
  }
}
