/// Opens two-way connections, beside sending requests.
///
/// A connection is what a request would be sent on: after name lookup, TCP, proxy, TLS and trust, and before the first byte of HTTP/1.1.
/// Protocols that begin with a request and go on as something else (`101 Switching Protocols`, RFC 9110 §7.8), such as WebSocket, are
/// written on top of it. A transport that conforms has `TransportCapabilities.duplex` while it can do so.
///
/// ```swift
/// let connection = try await transport.connect(Request(.get, "https://example.com/chat"), in: Exchange())
/// try await connection.send(Data("GET /chat HTTP/1.1\r\nHost: example.com\r\n\r\n".utf8))
/// while let bytes = try await connection.receive() { print(bytes.count) }
/// ```
public protocol DuplexTransport: Transport {
  /// Connects to the server of a request, and sends nothing of the request.
  ///
  /// The URL's origin, the options for the way there (`timeouts`, `unixSocketPath`, `addressOverrides`, `needs`), and the exchange's
  /// trust, client identity, proxy and deadline count as for `send`. An HTTP proxy gets CONNECT for `http`, too. Over TLS only HTTP/1.1
  /// is offered. `Timeouts.connect`, `total` and the deadline limit the time until it returns; afterwards there is no timeout. The
  /// connection is always a new one, and belongs to its caller.
  ///
  /// It emits `connected`. If it fails, it records the metrics of the attempt, as `send` does; otherwise the caller gets them in
  /// `DuplexConnection.metrics`, and records them when it knows the rest.
  ///
  /// - Throws: `NetworkError`, or `CancellationError`.
  nonisolated(nonsending) func connect(_ request: Request, in exchange: Exchange) async throws -> DuplexConnection
}
