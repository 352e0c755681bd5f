public import CurlewCore
import FoundationEssentials
import HTTPTypes

/// An endpoint without sockets, which answers `StubTransport`s.
///
/// ```swift
/// let endpoint = StubEndpoint()
/// try await TransportConformance(endpoint: endpoint).run { endpoint.makeTransport() }
/// ```
public final class StubEndpoint: ConformanceEndpoint {
  /// The name of the endpoint, for messages.
  package let name = "the stub"
  /// The features that need no connection.
  package let features: EndpointFeatures = [
    .reasonPhrases, .trailers, .informational, .progress, .departures, .cuts, .earlyHeads, .conversations,
  ]
  private let table = PlaceTable()

  /// Creates an endpoint.
  public init() {}

  /// Opens a place that answers each request by a script, until it is closed.
  package func open(_ script: @escaping @Sendable (ConformanceRequest) -> ConformanceAnswer) -> ConformancePlace {
    table.open(at: "http://stub.test", script)
  }

  /// Returns a stub that this endpoint answers.
  public func makeTransport() -> any Transport {
    let stub = StubTransport(
      capabilities: StubTransport.defaultCapabilities.union(.duplex),
      answer: { [table] asked in
        let request = ConformanceRequest(asked)
        guard let place = table.place(target: request.target, fields: request.fields) else {
          return StubAnswer(.notFound)
        }
        return try await place.answer(request).stubAnswer(method: request.method, at: place)
      }, conversing: { [table] _, connection in await table.converse(over: connection) })
    return StubEndpointTransport(stub: stub, table: table)
  }
}

/// A stub that reports readers that leave early.
private struct StubEndpointTransport: DuplexTransport {
  let stub: StubTransport
  let table: PlaceTable

  var capabilities: TransportCapabilities { stub.capabilities }

  func send(_ request: Request, in exchange: Exchange) async throws -> Response {
    let place = table.place(target: request.target, fields: OriginFields(request.headerFields))
    do {
      let response = try await stub.send(request, in: exchange)
      guard let place else { return response }
      return Response(head: response.head, body: response.body.tapped(by: DepartureTap(place)))
    } catch {
      place?.noteDeparture()
      throw error
    }
  }

  func connect(_ request: Request, in exchange: Exchange) async throws -> DuplexConnection {
    try await stub.connect(request, in: exchange)
  }

  func shutdown() async { await stub.shutdown() }
}

extension PlaceTable {
  /// Reads the head of a request from a connection, and answers as the request's place says.
  fileprivate func converse(over connection: DuplexConnection) async {
    var raw = Data()
    while !raw.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      guard let bytes = try? await connection.receive() else { return }
      raw.append(bytes)
    }
    guard let request = ConformanceRequest(rawHead: [UInt8](raw)),
      let place = place(target: request.target, fields: request.fields)
    else { return }
    let answer = place.answer(request)
    guard let conversation = answer.conversation else { return }
    let head =
      "HTTP/1.1 \(answer.status) \(ReasonPhrase.standard(answer.status))\r\n\(answer.framedFields.wireText)\r\n"
    guard (try? await connection.send(Data(head.utf8))) != nil else { return }
    await conversation(connection)
  }
}

/// Records a reader that leaves before the end.
private final class DepartureTap: BodyTap {
  private let place: ConformancePlace
  private let isOver = Guarded(false)

  init(_ place: ConformancePlace) { self.place = place }

  func ended(by error: (any Error)?) async { end(departing: error != nil) }

  func cancelled() { end(departing: true) }

  func rejected() async { end(departing: true) }

  private func end(departing: Bool) {
    let isFirst = isOver.withLock { isOver in
      defer { isOver = true }
      return !isOver
    }
    if isFirst, departing { place.noteDeparture() }
  }
}

extension Request {
  /// The path and query as they would be written.
  fileprivate var target: String {
    let path = url.path(percentEncoded: true)
    return (path.isEmpty ? "/" : path) + (url.query(percentEncoded: true).map { "?" + $0 } ?? "")
  }
}

extension ConformanceRequest {
  fileprivate init(_ asked: StubTransport.Asked) {
    self.init(
      method: asked.request.method.rawValue, target: asked.request.target,
      fields: OriginFields(asked.request.headerFields), content: [UInt8](asked.body))
  }
}
