public import CurlewCore

/// Foundation's URLSession behind the seam of every transport, honest about what it cannot do.
///
/// For programs that must go through URLSession. `CurlTransport` does more, and costs a tenth of the time.
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
/// FoundationNetworking 6.3.1 ends the process, by traps of its own that nothing above it can prevent, when a server
/// - breaks the connection off in the middle of a header section;
/// - sends trailer fields;
/// - announces a `Content-Length` of 9223372036854775807;
/// - redirects to a place like `//[::1]/` or `//a%20b/`: without a scheme, with a host that is no plain name.
///
/// Use it only with servers that you trust.
///
/// ## What it cannot do
///
/// | what | what happens instead |
/// |---|---|
/// | decide on server trust, present a client identity, staple | refused (capabilities); the system's anchors decide |
/// | choose a proxy | refused; libcurl inside Foundation follows `http_proxy`, `https_proxy` and `all_proxy` |
/// | leave a body in the socket | 16 MB are held for a slow reader, one more is `bufferLimitExceeded` |
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
/// | keep lines of one field apart | joined by commas; names that differ in case only are one; `Set-Cookie` is split |
/// | measure phases, addresses and re-use | one record with bytes and time; `connected` is never told |
/// | send nothing twice | a request that may be repeated may be, unseen, by libcurl; see below |
/// | give the head of a redirect early | head and body come at the end; until then no limit, no progress, idle time |
/// | give the body of a redirect without a usable `Location` | `truncatedBody` after the head |
/// | give up a name lookup | the caller goes on at once; other requests wait until the lookup ends |
///
/// libcurl sends again, unseen, what was written on a connection that was used before and died without an answer. So only
/// what does no harm when it is repeated (`Request.isIdempotent`, a replayable body) shares connections; every other
/// request has one of its own and asks the server to close it. A cookie value that holds `, name=` is read as two cookies.
///
/// It has two sessions, each with the threads Foundation gives it, which Foundation keeps for some seconds after
/// `shutdown()`.
public final class URLSessionTransport: Transport {
  /// What Foundation can do, on every machine alike.
  public let capabilities: TransportCapabilities = [.informationalResponses]
  private let configuration: Configuration
  private let keeper: PoolKeeper

  /// Makes a transport; its sessions are made with the first request.
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

  /// Ends what is in flight and returns when Foundation has let go of its sessions.
  public func shutdown() async { await keeper.pool.closed() }
}

extension Transport where Self == URLSessionTransport {
  /// Foundation's URLSession.
  public static func urlSession(
    _ configuration: URLSessionTransport.Configuration = URLSessionTransport.Configuration()
  ) -> URLSessionTransport {
    URLSessionTransport(configuration)
  }
}
