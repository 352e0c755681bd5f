// A transport for clients that swift-openapi-generator writes, over a loader. It streams bodies both ways.
//
// swift-openapi-runtime is not a dependency here, so its public interface stands in at the end of this file: in an app, import
// OpenAPIRuntime instead.

import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import FoundationEssentials
import HTTPTypes

struct CurlewTransport: ClientTransport {
  let loader: Loader

  func send(
    _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String
  ) async throws -> (HTTPResponse, HTTPBody?) {
    // The generator's path begins with a slash and has the query.
    let base = baseURL.absoluteString
    let place = (base.hasSuffix("/") ? String(base.dropLast()) : base) + (request.path ?? "")
    var sent = try Request(request.method, place)
    sent.headerFields = request.headerFields
    if let body { sent.body = Body(body) }
    // A reader that stops must not hold up other requests on its connection.
    sent.options.delivery = .streamed
    let response = try await loader.load(sent)
    return (
      HTTPResponse(status: response.head.status, headerFields: response.head.headerFields),
      HTTPBody(
        response.body.map { ArraySlice($0) }, length: response.head.expectedLength.map { .known($0) } ?? .unknown,
        iterationBehavior: .single)
    )
  }
}

extension Body {
  /// A body that can be read several times is sent again where that is needed, for example after a redirect.
  init(_ body: HTTPBody) {
    var length: Int64?
    if case .known(let count) = body.length { length = count }
    self = .stream(length: length, replayable: body.iterationBehavior == .multiple) { BodyReader(body) }
  }
}

/// Reads the chunks of a body, one at a time.
private actor BodyReader: BodyChunks {
  private var iterator: HTTPBody.Iterator

  init(_ body: HTTPBody) { iterator = body.makeAsyncIterator() }

  func next() async throws -> Data? {
    var own = iterator
    defer { iterator = own }
    return try await own.next().map { Data($0) }
  }
}

let transport = try CurlTransport()
let client = CurlewTransport(loader: Loader(transport))
let (response, body) = try await client.send(
  HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/birds?limit=2"), body: nil,
  baseURL: try BaseAddress.url, operationID: "listBirds")
print(response.status)
if let body { for try await chunk in body { print(chunk.count, "bytes") } }
await transport.shutdown()

enum BaseAddress {
  static var url: URL {
    get throws { try Request(.get, "https://api.example.com/v1").url }
  }
}

// MARK: - In the place of OpenAPIRuntime

protocol ClientTransport: Sendable {
  func send(
    _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String
  ) async throws -> (HTTPResponse, HTTPBody?)
}

final class HTTPBody: AsyncSequence, Sendable {
  typealias Element = ArraySlice<UInt8>
  enum Length: Sendable, Equatable {
    case unknown
    case known(Int64)
  }
  enum IterationBehavior: Sendable {
    case single
    case multiple
  }
  struct Iterator: AsyncIteratorProtocol {
    fileprivate let pull: () async throws -> Element?
    mutating func next() async throws -> Element? { try await pull() }
  }

  let length: Length
  let iterationBehavior: IterationBehavior
  private let make: @Sendable () -> Iterator

  init<Bytes: AsyncSequence & Sendable>(_ bytes: Bytes, length: Length, iterationBehavior: IterationBehavior)
  where Bytes.Element == Element {
    self.length = length
    self.iterationBehavior = iterationBehavior
    make = {
      var iterator = bytes.makeAsyncIterator()
      return Iterator { try await iterator.next() }
    }
  }

  func makeAsyncIterator() -> Iterator { make() }
}
