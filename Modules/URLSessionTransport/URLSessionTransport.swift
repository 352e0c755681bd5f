public import CurlewCore

/// A transport over Foundation's `URLSession`, which declares what it cannot do.
///
/// It is for programs that must use `URLSession`. `CurlTransport` supports more, and takes a tenth of the time.
///
/// ```swift
/// let transport = URLSessionTransport()
/// let response = try await transport.send(Request(.get, url), in: Exchange())
/// let bytes = try await response.body.collect(upTo: 1 << 20)
/// await transport.shutdown()
/// ```
///
/// ## What a server can do to it
///
/// A server can end the process of FoundationNetworking 6.3.1, by traps that no code above it can prevent, if it
/// - closes the connection in the middle of a header section;
/// - sends trailer fields;
/// - announces a `Content-Length` of 9223372036854775807;
/// - redirects to a location such as `//[::1]/` or `//a%20b/`: without a scheme, and with a host that is not a plain name.
///
/// Use it only with servers that you trust.
///
/// ## What it cannot do
///
/// | what | what happens instead |
/// |---|---|
/// | decide on server trust, present a client identity, staple | refused (capabilities); the system's anchors decide |
/// | choose a proxy | refused; libcurl inside Foundation follows `http_proxy`, `https_proxy` and `all_proxy` |
/// | leave a body in the socket | up to 16 MB are buffered for a slow reader; beyond that it fails with `bufferLimitExceeded` |
/// | stream a request's body | refused: Foundation would wait for it on the queue of all requests |
/// | send content with GET or HEAD | refused with `unsupported` |
/// | methods like `get`, which it writes `GET` | refused with `unsupported` |
/// | IPv6 addresses in URLs; dot segments in paths | refused with `unsupported`, `invalidURL` |
/// | field values that are not UTF-8 | refused in requests; `protocolViolation` in responses |
/// | responses with `Name:value`, bare LF, no space behind the status | `protocolViolation` |
/// | wait for `100 Continue`, choose the HTTP version, limit the rate, Unix sockets, addresses | refused |
/// | keep a connect timeout, choose networks | refused; idle and total timeouts are Curlew's own |
/// | leave content coded | refused; it decodes by itself, also where `Accept-Encoding` is the app's (`ResponseHead.undoneCoding`) |
/// | show trailers, reason phrase, HTTP version, order of fields | lost; the phrase is the standard one |
/// | notice that a gzip body lacks its last bytes | a success: libcurl inside Foundation does not check where a coding ends |
/// | check the version in a status line | `HTTP/2 200` over HTTP/1.1 is a success |
/// | keep lines of one field apart | joined by commas; names that differ in case only are one; `Set-Cookie` is split |
/// | measure phases, addresses and reuse | one record with bytes and time; `connected` is never reported |
/// | send nothing twice | libcurl may repeat a repeatable request without reporting it; see below |
/// | give the head of a redirect early | both arrive at the end; until then no limit or progress, and the time counts as idle |
/// | give the body of a redirect without a usable `Location` | `truncatedBody` after the head |
/// | cancel a name lookup | the caller continues at once; other requests wait until the lookup ends |
/// | end a body that arrives faster than it is received | it may keep the queue of all sessions busy; others wait, and time out |
///
/// libcurl repeats, unnoticed, a request that it sent on a reused connection that died without an answer. Only requests that
/// may be repeated (`Request.isIdempotent`, a replayable body) therefore share connections. Every other request has a
/// connection of its own and asks the server to close it. If a server closes it without `Connection: close` in its response, which
/// RFC 9112, section 9.6 asks for, the next such request can meet the closed connection and fail with `connectionLost`. A cookie value that contains `, name=` is read as two cookies.
///
/// The transport has two sessions. Foundation keeps their threads for some seconds after `shutdown()`.
public final class URLSessionTransport: Transport {
  /// The capabilities of Foundation, equal on every machine.
  public let capabilities: TransportCapabilities = [.informationalResponses]
  private let configuration: Configuration
  private let keeper: PoolKeeper

  /// Creates a transport; the first request creates its sessions.
  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
    keeper = PoolKeeper(SessionPool(configuration))
  }

  /// Sends one request once; see `Transport`.
  ///
  /// - Throws: `NetworkError`, or `CancellationError`.
  public func send(_ request: Request, in exchange: Exchange) async throws -> Response {
    try Task.checkCancellation()
    let plan = try SendPlan(request, in: exchange, capabilities: capabilities, configuration: configuration)
    return try await URLSessionFlight(plan, exchange: exchange, keeper).response()
  }

  /// Cancels running requests and waits until Foundation has released its sessions.
  public func shutdown() async { await keeper.pool.closed() }
}

extension Transport where Self == URLSessionTransport {
  /// Returns a transport over Foundation's `URLSession`.
  public static func urlSession(
    _ configuration: URLSessionTransport.Configuration = URLSessionTransport.Configuration()
  ) -> URLSessionTransport {
    URLSessionTransport(configuration)
  }
}

extension URLSessionTransport {
  /// The limits and defaults of a transport, as a value.
  public struct Configuration: Sendable {
    /// The timeouts for requests that leave them unset.
    ///
    /// By default 60 s without a byte, and no total timeout. A connect timeout has no effect.
    public var timeouts = Timeouts(idle: .seconds(60))
    /// The most simultaneous requests, 1 or more.
    ///
    /// Further requests wait in order of priority. The wait counts in no timeout.
    public var requestsAtOnce = 256
    /// The most bytes of a body to buffer for its reader, 64 kB…16 MB.
    ///
    /// Beyond it the transfer fails with `bufferLimitExceeded`.
    public var bodyBuffer = 16 * 1024 * 1024
    /// The most fields of a header section, 1…10,000.
    public var headerFields = 1_000
    /// The most informational heads before the final one, 0 or more.
    public var informationalHeads = 100

    /// Creates the default configuration.
    public init() {}
  }
}
