import CurlewCore
import FoundationEssentials
import HTTPTypes
import Synchronization

/// Sends the handshake of one WebSocket in the place of a session's transport.
///
/// So redirects, cookies, authentication, proxies and retries are those of the session. Each sending is a new connection with a new key.
final class UpgradeTransport: Transport {
  /// A connection after its handshake.
  struct Made: Sendable {
    var connection: DuplexConnection
    var agreement: UpgradeAgreement
    /// What arrived behind the head.
    var rest: Data
  }

  /// What a handshake can use of the session's transport.
  private static let used: TransportCapabilities = [
    .serverTrust, .clientIdentity, .proxy, .backpressure, .metrics, .versionChoice, .unixSocket, .addressOverrides,
    .rawContent, .informationalResponses, .connectTimeout, .ocspStapling, .duplex,
  ]
  /// How long to wait for the head if the request does not say.
  private static let patience = Duration.seconds(60)

  let capabilities: TransportCapabilities
  private let base: any DuplexTransport
  private let offer: UpgradeOffer
  private let made = Mutex<Made?>(nil)

  /// - Throws: `NetworkError` of kind `unsupported` if the transport opens no two-way connections.
  init(over transport: any Transport, _ offer: UpgradeOffer) throws(NetworkError) {
    guard let base = transport as? any DuplexTransport, base.capabilities.contains(.duplex) else {
      throw NetworkError.unsupported(.duplex)
    }
    self.base = base
    self.offer = offer
    capabilities = base.capabilities.intersection(Self.used)
  }

  /// Returns the connection of the newest handshake that succeeded, once.
  func takeMade() -> Made? {
    made.withLock { made in
      defer { made = nil }
      return made
    }
  }

  nonisolated(nonsending) func send(_ request: Request, in exchange: Exchange) async throws -> Response {
    var request = request
    let key = UpgradeOffer.key()
    offer.apply(to: &request.headerFields, key: key)
    request.options.needs.insert(.duplex)
    try RequestCheck.validate(request, in: exchange, for: capabilities)
    let head = try Self.head(of: request)
    let connection = try await base.connect(request, in: exchange)
    let clock = exchange.settings.clock
    let start = clock.now
    let limit = Self.limit(request, exchange)
    var handshake = Handshake(connection, request, exchange)
    do {
      let response = try await handshake.run(head, until: limit)
      handshake.metrics.phases.firstByte = start.duration(to: clock.now)
      guard response.status.code == 101 else {
        return try await handshake.refused(response, since: start, until: limit)
      }
      let agreement = try handshake.agreed(response, to: offer, key)
      made.withLock {
        $0 = Made(connection: connection, agreement: agreement, rest: handshake.reader.bytes)
      }
      handshake.measured(since: start)
      return Response(head: handshake.head(response), body: ResponseBody(Data()))
    } catch {
      connection.cancel()
      handshake.measured(since: start)
      throw error
    }
  }

  /// When the head, and the content of a refusal, must have arrived.
  private static func limit(_ request: Request, _ exchange: Exchange) -> ContinuousClock.Instant {
    let timeouts = request.options.timeouts
    let wait = min(timeouts.idle ?? patience, timeouts.total ?? patience, patience)
    return min(exchange.settings.clock.now + wait, exchange.settings.deadline ?? .now + .seconds(86_400))
  }

  /// Returns the head of a request as it is sent (RFC 9112 §3).
  static func head(of request: Request) throws(NetworkError) -> Data {
    let origin = try RequestCheck.origin(of: request)
    var target = request.url.path(percentEncoded: true)
    if target.isEmpty { target = "/" }
    if let query = request.url.query(percentEncoded: true) { target += "?" + query }
    guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw NetworkError(.invalidURL, stage: .preparing, message: "The path of the URL is not percent-encoded.")
    }
    var head = Data("GET \(target) HTTP/1.1\r\n".utf8)
    let fields = request.headerFields
    if !fields.contains(where: { $0.name.canonicalName == "host" }) {
      head += Data("Host: \(origin.authority)\r\n".utf8)
    }
    // A proxy has opened a tunnel, so that its credentials would reach the server (RFC 9110 §11.7.2).
    for field in fields where field.name != .contentLength && field.name != .proxyAuthorization {
      head += Data("\(field.name.rawName): ".utf8)
      field.withUnsafeBytesOfValue { head.append(contentsOf: $0) }
      head += Data("\r\n".utf8)
    }
    return head + Data("\r\n".utf8)
  }
}

/// One handshake on its connection.
private struct Handshake {
  let connection: DuplexConnection
  let request: Request
  let exchange: Exchange
  var metrics: ExchangeMetrics
  var reader = ResponseHeadReader()

  init(_ connection: DuplexConnection, _ request: Request, _ exchange: Exchange) {
    self.connection = connection
    self.request = request
    self.exchange = exchange
    metrics = connection.metrics
    metrics.attempt = exchange.attempt
    metrics.hop = exchange.hop
  }

  /// Sends the head, and returns the final head of the answer.
  nonisolated(nonsending) mutating func run(
    _ head: Data, until limit: ContinuousClock.Instant
  ) async throws -> ResponseHeadReader.Head {
    let alarm = Alarm(exchange.settings.clock, at: limit) { [connection] in connection.cancel() }
    defer { alarm.stop() }
    do {
      try await connection.send(head)
      while true {
        if let response = try next() {
          metrics.version = response.isHTTP11 ? .http11 : .http10
          metrics.headerBytesReceived += Int64(response.count)
          // 101 is final here; the others announce one.
          if response.status.code >= 200 || response.status.code == 101 {
            exchange.emit(.responded(self.head(response)))
            return response
          }
          exchange.emit(.informational(self.head(response)))
        } else if let bytes = try await connection.receive() {
          reader.append(bytes)
        } else {
          throw error(.connectionLost, "The server closed the connection before it answered.", maybeProcessed: true)
        }
      }
    } catch is CancellationError where alarm.hasRung {
      throw error(.idleTimedOut, "The server did not answer the handshake in time.", maybeProcessed: true)
    }
  }

  private mutating func next() throws -> ResponseHeadReader.Head? {
    do throws(UpgradeRefusal) {
      return try reader.next()
    } catch {
      throw self.error(.protocolViolation, error.text, maybeProcessed: true)
    }
  }

  /// Returns what was agreed on.
  func agreed(
    _ response: ResponseHeadReader.Head, to offer: UpgradeOffer, _ key: String
  ) throws(NetworkError) -> UpgradeAgreement {
    do throws(UpgradeRefusal) {
      guard response.isHTTP11 else { throw UpgradeRefusal("The server answered 101 with HTTP/1.0") }
      return try offer.check(response.fields, key: key)
    } catch {
      throw self.error(.protocolViolation, error.text, maybeProcessed: true).with { $0.response = head(response) }
    }
  }

  /// Returns a response other than 101, with the start of its content: as much as arrives in time.
  nonisolated(nonsending) mutating func refused(
    _ response: ResponseHeadReader.Head, since start: ContinuousClock.Instant, until limit: ContinuousClock.Instant
  ) async throws -> Response {
    let alarm = Alarm(exchange.settings.clock, at: limit) { [connection] in connection.cancel() }
    defer { alarm.stop() }
    var body = RefusalBodyReader(response)
    body.append(reader.bytes)
    var content = body.content(hasEnded: false)
    while content == nil {
      // A connection that is lost ends the content, which is for people.
      let bytes = try await receiveOrEnd(alarm)
      if let bytes { body.append(bytes) }
      content = body.content(hasEnded: bytes == nil)
    }
    connection.close()
    metrics.bytesReceived = Int64(content?.count ?? 0)
    metrics.bytesDelivered = metrics.bytesReceived
    measured(since: start)
    return Response(head: head(response), body: ResponseBody(content ?? Data()))
  }

  private nonisolated(nonsending) func receiveOrEnd(_ alarm: Alarm) async throws -> Data? {
    do {
      return try await connection.receive()
    } catch is NetworkError {
      return nil
    } catch is CancellationError where alarm.hasRung {
      return nil
    }
  }

  func head(_ response: ResponseHeadReader.Head) -> ResponseHead {
    ResponseHead(
      url: request.url, status: response.status, version: response.isHTTP11 ? .http11 : .http10,
      headerFields: response.fields, expectedLength: nil)
  }

  mutating func measured(since start: ContinuousClock.Instant) {
    metrics.phases.total = (metrics.phases.total ?? .zero) + start.duration(to: exchange.settings.clock.now)
    exchange.record(metrics)
    exchange.emit(.measured(metrics))
  }

  private func error(_ kind: NetworkError.Kind, _ message: String, maybeProcessed: Bool) -> NetworkError {
    NetworkError(kind, stage: .awaitingHead, message: message).with { details in
      details.request = request
      details.maybeProcessed = maybeProcessed
      details.connectionReused = false
    }
  }
}
