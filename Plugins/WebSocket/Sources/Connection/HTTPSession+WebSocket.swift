public import CurlewCore
public import CurlewSerialization
public import CurlewSession
import FoundationEssentials
public import HTTPTypes

extension HTTPSession {
  /// Opens a WebSocket.
  ///
  /// The handshake is a GET of the session: its base URL, fields, cookies, authentication, redirects, proxy, trust, client identity,
  /// observers and retries apply. `ws` and `wss` are taken for `http` and `https`. It needs a transport with
  /// `TransportCapabilities.duplex`, such as `CurlTransport`.
  ///
  /// ```swift
  /// let socket = try await session.webSocket("wss://example.com/chat", webSocket: options)
  /// ```
  ///
  /// - Parameters:
  ///   - path: A path, or a whole URL.
  ///   - options: The options of the handshake; its timeouts do not limit what follows.
  ///   - webSocket: Subprotocols, compression, limits and timeouts of the WebSocket.
  /// - Throws: `NetworkError`: `unacceptableStatus` when the server answers anything but 101, with the start of the content;
  ///   `protocolViolation` when its 101 breaks a rule; `unsupported` without such a transport; `invalidRequest` for a subprotocol that is
  ///   not a token; and those of any request. `CancellationError`.
  public func webSocket(
    _ path: String, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), webSocket: WebSocketOptions = WebSocketOptions()
  ) async throws -> WebSocket {
    let offer = UpgradeOffer(subprotocols: webSocket.subprotocols, compression: webSocket.compression?.sensible)
    if let refusal = offer.refusal {
      throw NetworkError(.invalidRequest, stage: .preparing, message: refusal.text)
    }
    let upgrade = try UpgradeTransport(over: try configuration.transport.started(), offer)
    var options = options
    options.cachePolicy = options.cachePolicy ?? .noStore
    options.decodesContent = false
    options.needs.insert(.duplex)
    let response = try await with { $0.transport = .shared(upgrade) }.response(
      .get, Self.httpPath(path), .none, UpgradeSerializer(), parameters: parameters, headerFields: headerFields,
      options: options)
    guard let made = upgrade.takeMade() else {
      throw NetworkError(
        .internal, stage: .awaitingHead, message: "An interceptor answered the handshake with 101 by itself.")
    }
    let limits = webSocket.limits.sensible
    let machine: WebSocketMachine
    do throws(WebSocketViolation) {
      machine = try WebSocketMachine(
        .client, limits, made.agreement.compression, offer.compression ?? WebSocketCompression())
    } catch {
      made.connection.cancel()
      throw NetworkError(.resourceExhausted, stage: .preparing, message: error.description, underlying: error)
    }
    let life = WebSocketLife(
      made.connection, machine, limits, isCompressed: made.agreement.compression != nil,
      configuration.settings.clock, response.head.url)
    life.start(made.rest, idleLimit: webSocket.idleLimit)
    return WebSocket(life, self, webSocket, response.head, response.metrics, made.agreement)
  }

  /// Returns a path or URL with the scheme of HTTP (RFC 6455 §3).
  private static func httpPath(_ path: String) -> String {
    for (scheme, replacement) in [("ws://", "http://"), ("wss://", "https://")]
    where path.prefix(scheme.count).lowercased() == scheme {
      return replacement + path.dropFirst(scheme.count)
    }
    return path
  }
}

/// Accepts 101, and nothing else.
private struct UpgradeSerializer: ResponseSerializer {
  var validation: ResponseValidation {
    ResponseValidation(statuses: [101], mediaTypes: nil, maximumBytes: RefusalBodyReader.limit)
  }

  func serialize(_ head: ResponseHead?, _ body: Data) throws {}
}
