import CurlewCore
import CurlewJSON
import CurlewLoading
import CurlewSession
import Foundation
import HTTPTypes

/// One way to send a request.
///
/// Each is a type of its own, as an app has one: the frame of a function that chose among all of them would hold room for each, and count as
/// the memory of every request.
protocol RequestWay: Sendable {
  /// Sends the request and returns the bytes of its body.
  func bytes() async throws -> Int64
}

/// A limit larger than any body that is measured here.
let bodyLimit = 1 << 30

/// `Transport.send`, and the body in memory.
struct TransportWay: RequestWay {
  let transport: any Transport
  private let request: Request
  let decoding: GetCommand.Decoding?

  init(_ transport: any Transport, _ request: Request, _ decoding: GetCommand.Decoding?) {
    self.transport = transport
    self.decoding = decoding
    var collected = request
    collected.options.delivery = .collected
    self.request = collected
  }

  func bytes() async throws -> Int64 {
    let response = try await transport.send(request, in: Exchange())
    let body = try await response.body.collect(upTo: bodyLimit, expecting: response.head.expectedLength)
    return try checked(body, response.head, decoding)
  }
}

/// `Loader.data`.
struct LoaderWay: RequestWay {
  let loader: Loader
  let request: Request
  let decoding: GetCommand.Decoding?

  func bytes() async throws -> Int64 {
    let (body, head) = try await loader.data(for: request, upTo: bodyLimit)
    return try checked(body, head, decoding)
  }
}

/// A `Transfer` into memory.
struct TransferWay: RequestWay {
  let loader: Loader
  let request: Request
  let decoding: GetCommand.Decoding?

  func bytes() async throws -> Int64 {
    let result = try await Transfer(loader, request, to: .memory(limit: bodyLimit)).run()
    return try checked(result.content.data ?? Data(), result.head, decoding)
  }
}

/// `HTTPSession.get`.
struct SessionWay: RequestWay {
  let session: HTTPSession
  let url: String

  func bytes() async throws -> Int64 { Int64(try await (session.get(url) as Data).count) }
}

/// `HTTPSession.get` of a `Decodable`.
struct SessionValueWay: RequestWay {
  let session: HTTPSession
  let url: String

  func bytes() async throws -> Int64 { try await (session.get(url) as MeasuredRecord).size }
}

/// Returns the length of a body, after it was decoded.
private func checked(_ body: Data, _ head: ResponseHead, _ decoding: GetCommand.Decoding?) throws -> Int64 {
  guard head.status == .ok else { throw BenchError(description: "The server answered \(head.status).") }
  switch decoding {
  case .json: _ = try JSONValue(parsing: body)
  case .foundation: _ = try JSONDecoder().decode(MeasuredRecord.self, from: body)
  case nil: break
  }
  return Int64(body.count)
}

/// One kilobyte of typical JSON from an API, from a file that `Scripts/bench` writes.
private struct MeasuredRecord: Decodable, Sendable {
  struct Sighting: Decodable, Sendable {
    var place: String
    var count: Int
    var latitude: Double
    var isConfirmed: Bool
  }

  var id: Int
  var name: String
  var tags: [String]
  var sightings: [Sighting]

  /// A number that depends on all members, so that none can be optimised away.
  var size: Int64 { Int64(name.utf8.count + tags.count + sightings.count) + (id > 0 ? 1 : 0) }
}
