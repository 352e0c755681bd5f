import CurlewCore
import CurlewJSON
import CurlewLoading
import CurlewRequests
import CurlewSerialization
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Values made of responses, through a transfer and through a loader alone.
@Suite(.timeLimit(.minutes(10))) struct DecodingTests {
  struct Vector: Sendable {
    var status: Int
    var type: String?
    var body: String
    /// What JSON makes of it; nil where it is refused.
    var value: String?
    var kind: NetworkError.Kind?
    var cause: NetworkError.Kind?
  }

  /// AFNetworking's vectors. Unlike there, a bad status stands outermost even when the body is malformed.
  private static let vectors = [
    Vector(status: 200, type: "application/json", body: "{}", value: "{}"),
    Vector(status: 200, type: "text/html", body: "x", kind: .unacceptableContentType),
    Vector(status: 200, type: "text/html", body: "", kind: .unacceptableContentType),
    Vector(status: 404, type: "application/json", body: #"{"e":1}"#, kind: .unacceptableStatus),
    Vector(status: 404, type: "text/html", body: "x", kind: .unacceptableStatus, cause: .unacceptableContentType),
    Vector(status: 500, type: "application/json", body: "oops", kind: .unacceptableStatus),
    Vector(status: 200, type: "application/json", body: "oops", kind: .serializationFailed),
    Vector(status: 200, type: "application/json", body: " ", value: "nil"),
    Vector(status: 204, body: "", value: "nil"), Vector(status: 205, body: "", value: "nil"),
    Vector(status: 200, body: "x", kind: .unacceptableContentType),
    Vector(status: 200, type: "application/problem+json", body: "[1]", value: "[1]"),
  ]

  private static func loader(_ vector: Vector) -> Loader {
    var answer = StubAnswer(
      HTTPResponse.Status(code: vector.status), body: [.bytes(Data(vector.body.utf8))])
    if let type = vector.type { answer.headerFields[.contentType] = type }
    return Loader(StubTransport(answer))
  }

  private static func request() throws -> Request { try Request(.get, "http://h.test/") }

  private static func check(_ vector: Vector, _ make: () async throws -> JSONValue?) async {
    do {
      let text = try await make().map { String(decoding: $0.data(), as: UTF8.self) } ?? "nil"
      #expect(text == vector.value, "\(vector)")
    } catch {
      let error = error as? NetworkError
      #expect(error?.kind == vector.kind, "\(vector): \(String(describing: error))")
      #expect((error?.details.underlying as? NetworkError)?.kind == vector.cause, "\(vector)")
      #expect(error?.details.response?.status.code == vector.status, "\(vector)")
      #expect(error?.details.responseBody == Data(vector.body.utf8), "\(vector)")
    }
  }

  @Test(arguments: vectors) func `a transfer makes of a response what its serializer makes`(
    _ vector: Vector
  ) async throws {
    let request = try Self.request()
    await Self.check(vector) {
      try await Transfer(Self.loader(vector), request, decoding: .jsonValue).run()
    }
  }

  @Test(arguments: vectors) func `a loader makes of a response what a serializer makes`(_ vector: Vector) async throws {
    let request = try Self.request()
    await Self.check(vector) { try await Self.loader(vector).value(for: request, decoding: .jsonValue).0 }
  }

  @Test func `the body of a refused response can be read as a value`() async throws {
    struct Problem: Decodable, Sendable { var e: Int }
    let loader = Self.loader(Vector(status: 404, type: "application/json", body: #"{"e":7}"#))
    let request = try Self.request()
    for make in [
      { _ = try await Transfer(loader, request, decoding: .json(Int.self)).run() },
      { _ = try await loader.value(for: request, decoding: .json(Int.self)) },
    ] as [@Sendable () async throws -> Void] {
      do {
        try await make()
        Issue.record("a 404 was taken")
      } catch let error as NetworkError {
        #expect(try error.refusedValue(.json(Problem.self)).e == 7)
        #expect(error.details.request?.url == request.url)
      }
    }
  }

  @Test func `a refused head ends the attempt while its body would go on for ever`() async throws {
    var answer = StubAnswer(
      .badGateway, headerFields: [.contentType: "application/json"],
      body: [.repeated(Data(repeating: 0x20, count: 4_096), count: 1 << 40)])
    let request = try Self.request()
    for status in [HTTPResponse.Status.badGateway, .ok] {
      answer.status = status
      answer.headerFields[.contentType] = status == .ok ? "text/html" : "application/json"
      let loader = Loader(StubTransport(answer))
      let error = await #expect(throws: NetworkError.self) {
        try await Transfer(loader, request, decoding: .jsonValue).run()
      }
      #expect(error?.details.responseBody?.count == TransferValidation.errorBodyLimit)
      let direct = await #expect(throws: NetworkError.self) {
        try await loader.value(for: request, decoding: .jsonValue)
      }
      #expect(direct?.kind == error?.kind)
      #expect(direct?.details.responseBody?.count == TransferValidation.errorBodyLimit)
    }
  }

  @Test func `a body above the serializer's limit is refused, announced or not`() async throws {
    var limited = JSONValueResponseSerializer()
    limited.validation.maximumBytes = 9
    let serializer = limited
    for announces in [true, false] {
      var answer = StubAnswer(headerFields: [.contentType: "application/json"], body: [.bytes(Data(count: 10))])
      answer.announcesLength = announces
      let loader = Loader(StubTransport(answer))
      let request = try Self.request()
      for make in [
        { _ = try await Transfer(loader, request, decoding: serializer).run() },
        { _ = try await loader.value(for: request, decoding: serializer) },
      ] as [@Sendable () async throws -> Void] {
        let error = await #expect(throws: NetworkError.self) { try await make() }
        #expect(error?.kind == .bodyTooLarge)
      }
    }
  }

  @Test func `serializers of several types are kept in one list`() async throws {
    let serializers: [any ResponseSerializer] = [.jsonValue, .data, .string]
    let loader = Self.loader(Vector(status: 200, type: "application/json", body: "[1]"))
    var types: [String] = []
    for serializer in serializers {
      let value = try await Transfer<any Sendable>(loader, try Self.request(), decoding: serializer.erased).run()
      types.append("\(type(of: value))")
    }
    #expect(types == ["Optional<JSONValue>", "Data", "String"])
  }

  @Test func `a serializer makes its value of what another sink has collected`() async throws {
    let request = try Self.request()
    let loader = Self.loader(Vector(status: 200, type: "application/json", body: "[1]"))
    let kept = Transfer<[Int]>.Configuration(request, to: .memory(limit: 3), decoding: .json())
    #expect(try await Transfer(loader, kept).run() == [1])
    let tooLarge = Transfer<[Int]>.Configuration(request, to: .memory(limit: 2), decoding: .json())
    await #expect(throws: NetworkError.self) { try await Transfer(loader, tooLarge).run() }
    let elsewhere = Transfer<[Int]?>.Configuration(request, to: .custom { _, _ in Dropping() }, decoding: .json())
    #expect(try await Transfer(loader, elsewhere).run() == nil)
  }

  private final class Dropping: BodySink {
    func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand { .more }
  }

  @Test func `a request is made anew for each attempt`() async throws {
    let loader = Loader(
      StubTransport { asked in
        asked.index == 0
          ? .failing(NetworkError(.connectionFailed, stage: .connecting, message: "No."))
          : StubAnswer(
            headerFields: [.contentType: "application/json"],
            body: [.bytes(Data(asked.request.url.path.utf8.dropFirst()))])
      })
    var configuration = Transfer<Int>.Configuration(
      request: { attempt in try Request(.get, "http://h.test/\(attempt.number)") }, decoding: .json(Int.self))
    configuration.shouldRetry = { attempt, _ in attempt.number == 1 ? .again : .finish }
    #expect(try await Transfer(loader, configuration).run() == 2)
  }

  @Test func `the head alone refuses only what no body could save`() throws {
    let validations = [
      ResponseValidation(), .everything, ResponseValidation(mediaTypes: [.json]),
      ResponseValidation(statuses: nil, mediaTypes: [.json], maximumBytes: 3),
      ResponseValidation(statuses: [200, 205, 304], mediaTypes: [], maximumBytes: 0),
    ]
    let url = try #require(URL(string: "http://h.test/"))
    var refused = 0
    for validation in validations {
      for status in [200, 204, 205, 206, 304, 404, 500] {
        for type in [nil, "application/json", "application/vnd.x+json", "text/html", "no type"] {
          for announced in [nil, 0, 2, 4] as [Int?] {
            var fields: HTTPFields = [:]
            fields[.contentType] = type
            if let announced { fields[.contentLength] = String(announced) }
            let head = ResponseHead(url: url, status: .init(code: status), headerFields: fields)
            let refusal = validation.check(head)
            for count in announced.map({ [$0] }) ?? [0, 2, 4] {
              let whole = validation.check(head, Data(count: count))
              if let refusal {
                #expect([refusal.kind, .bodyTooLarge].contains(whole?.kind), "\(validation), \(head), \(count)")
              }
              if announced == nil, count == 0, whole == nil { #expect(refusal == nil) }
            }
            if refusal != nil { refused += 1 }
          }
        }
      }
    }
    #expect(refused > 100)
    // Why a large page of a failed request is refused is the failure.
    let page = ResponseHead(
      url: url, status: .internalServerError, headerFields: [.contentLength: "1000000000", .contentType: "text/html"])
    #expect(ResponseValidation().check(page)?.kind == .unacceptableStatus)
  }
}
