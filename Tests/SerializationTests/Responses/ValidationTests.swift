import CurlewCore
import CurlewSerialization
import FoundationEssentials
import HTTPTypes
import Testing

/// A JSON-like serializer: takes JSON's type, and text that begins with `{`.
struct BracesSerializer: ResponseSerializer {
  struct NotBraces: Error {}
  var validation = ResponseValidation(mediaTypes: [.json])

  func serialize(_ head: ResponseHead?, _ body: Data) throws -> String {
    let text = String(decoding: body, as: UTF8.self)
    guard text.isEmpty || text.hasPrefix("{") else { throw NotBraces() }
    return text
  }
}

func makeHead(_ status: Int = 200, type: String? = nil) throws -> ResponseHead {
  var fields = HTTPFields()
  fields[.contentType] = type
  let url = try #require(URL(string: "http://h/"))
  return ResponseHead(url: url, status: HTTPResponse.Status(code: status), headerFields: fields)
}

@Suite struct ValidationTests {
  struct Vector: Sendable {
    var status: Int
    var type: String?
    var body: String
    /// The value, or nil for an error.
    var value: String?
    var kind: NetworkError.Kind?
    var cause: NetworkError.Kind?
  }

  /// The raw serializer's column of the vectors.
  static let raw: [Vector] = [
    Vector(status: 200, type: "application/json", body: "{}", value: "{}"),
    Vector(status: 200, type: "text/html", body: "x", value: "x"),
    Vector(status: 200, type: "text/html", body: "", value: ""),
    Vector(status: 404, type: "application/json", body: "{\"e\":1}", kind: .unacceptableStatus),
    Vector(status: 404, type: "text/html", body: "x", kind: .unacceptableStatus),
    Vector(status: 500, type: "application/json", body: "oops", kind: .unacceptableStatus),
    Vector(status: 204, body: "", value: ""),
    Vector(status: 200, body: "x", value: "x"),
  ]

  /// The typed serializer's column. Unlike in AFNetworking a bad status stands outermost even when the body is malformed.
  static let typed: [Vector] = [
    Vector(status: 200, type: "application/json", body: "{}", value: "{}"),
    Vector(status: 200, type: "application/problem+json; charset=utf-8", body: "{}", value: "{}"),
    Vector(status: 200, type: "text/html", body: "x", kind: .unacceptableContentType),
    Vector(status: 200, type: "text/html", body: "", kind: .unacceptableContentType),
    Vector(status: 404, type: "application/json", body: "{\"e\":1}", kind: .unacceptableStatus),
    Vector(status: 404, type: "text/html", body: "x", kind: .unacceptableStatus, cause: .unacceptableContentType),
    Vector(status: 500, type: "application/json", body: "oops", kind: .unacceptableStatus),
    Vector(status: 200, type: "application/json", body: "oops", kind: .serializationFailed),
    Vector(status: 204, body: "", value: ""),
    Vector(status: 204, type: "text/html", body: "", value: ""),
    Vector(status: 200, body: "", value: ""),
    Vector(status: 200, body: "x", kind: .unacceptableContentType),
    Vector(status: 200, type: "not a type", body: "x", kind: .unacceptableContentType),
  ]

  @Test func `a head that has passed is judged with its body as if it were read again`() throws {
    let validations = [
      ResponseValidation(mediaTypes: [.json], maximumBytes: 5), ResponseValidation(maximumBytes: 5), .everything,
      ResponseValidation(statuses: nil, mediaTypes: [.json]),
    ]
    var passed = 0
    for status in [200, 204, 205, 304, 404] {
      for type in [nil, "application/json", "text/html", "not a type"] {
        let head = try makeHead(status, type: type)
        for validation in validations where validation.check(head) == nil {
          for size in [0, 1, 9] {
            passed += 1
            let body = Data(count: size)
            let judged = validation.check(passed: head, body)?.kind
            let again = validation.check(head, body)?.kind
            #expect(judged == again, "\(status) \(type ?? "-") \(size)")
          }
        }
      }
    }
    #expect(passed > 50)
  }

  @Test(arguments: raw) func `the raw serializer judges by status alone`(_ vector: Vector) throws {
    try check(.string, vector)
  }

  @Test(arguments: typed) func `a typed serializer judges by status first and type second`(_ vector: Vector) throws {
    try check(BracesSerializer(), vector)
  }

  private func check(_ serializer: some ResponseSerializer<String>, _ vector: Vector) throws {
    let head = try makeHead(vector.status, type: vector.type)
    let body = Data(vector.body.utf8)
    do throws(NetworkError) {
      #expect(try serializer.output(of: head, body) == vector.value)
    } catch {
      #expect(vector.value == nil)
      #expect(error.kind == vector.kind)
      #expect((error.details.underlying as? NetworkError)?.kind == vector.cause)
      #expect(error.details.response == head)
      #expect(error.details.responseBody == body)
    }
  }

  @Test func `a refused response's body can still be read, its type permitting`() throws {
    let body = Data("{\"e\":1}".utf8)
    let refusal = try #require(BracesSerializer().validation.check(makeHead(404, type: "application/json"), body))
    #expect(try refusal.refusedValue(BracesSerializer()) == "{\"e\":1}")
    let html = try #require(BracesSerializer().validation.check(makeHead(404, type: "text/html"), body))
    let error = try #require(throws: NetworkError.self) { try html.refusedValue(BracesSerializer()) }
    #expect(error.kind == .unacceptableContentType)
  }

  @Test func `a body over the limit is refused before it is parsed`() throws {
    var serializer = BracesSerializer()
    serializer.validation.maximumBytes = 3
    let head = try makeHead(type: "application/json")
    #expect(try serializer.output(of: head, Data("{ }".utf8)) == "{ }")
    let error = try #require(throws: NetworkError.self) { try serializer.output(of: head, Data("{  }".utf8)) }
    #expect(error.kind == .bodyTooLarge)
  }

  @Test func `an error keeps a bounded copy of the body`() throws {
    let body = Data(count: NetworkError.keptBodyBytes + 1)
    let error = try #require(ResponseValidation().check(makeHead(500), body))
    #expect(error.details.responseBody?.count == NetworkError.keptBodyBytes)
  }

  @Test func `bytes without a head pass`() throws {
    #expect(try BracesSerializer().output(of: nil, Data("{}".utf8)) == "{}")
  }

  @Test func `a serializer's own network error is kept as it is`() throws {
    let mapped = StringResponseSerializer().map { _ -> Int in
      throw NetworkError(.sinkFailed, stage: .decoding, message: "Mine.")
    }
    #expect(try #require(throws: NetworkError.self) { try mapped.output(of: makeHead(), Data()) }.kind == .sinkFailed)
  }
}
