public import CurlewCore
import HTTPTypes

/// The default transport: libcurl on an event loop of Curlew's own.
///
/// It supports HTTP/1.1, proxies, Unix sockets, trust evaluation inside the handshake, and backpressure down to the socket.
/// With a libcurl that supports it reliably it also supports HTTP/2 (see `Configuration.version`). Content is delivered as it
/// was sent; CurlewContentCoding decodes it. Each transport has one thread, whatever the number of requests. It follows no
/// redirect, keeps no cookie, repeats nothing and reads nothing from the environment. Call `shutdown()` to end its thread, or
/// release it: the thread then ends with the last unfinished request or body.
///
/// ```swift
/// let transport = try CurlTransport()
/// let response = try await transport.send(Request(.get, url), in: Exchange())
/// let bytes = try await response.body.collect(upTo: 1 << 20)
/// await transport.shutdown()
/// ```
public final class CurlTransport: DuplexTransport {
  /// The capabilities of the loaded libcurl.
  ///
  /// They include `automaticHTTP2` if the transport offers HTTP/2 by default.
  public let capabilities: TransportCapabilities
  /// The version of the loaded libcurl, such as `8.14.1`.
  public static var libraryVersion: String { CurlLibrary.loaded.version }
  private let configuration: Configuration
  private let limits: TimeLimits
  private let keeper: LoopKeeper
  /// Runs tasks on the transport's own thread, for many small requests.
  ///
  /// A task that prefers it, with `withTaskExecutorPreference(transport.executor)`, receives responses without switching
  /// threads, which saves a fifth of the CPU time of a small request. All transfers wait while its code runs, so it must not
  /// block or compute for long. After `shutdown()` such tasks continue on the global executor.
  public var executor: any TaskExecutor { keeper.loop }

  /// Starts a transport and its thread.
  ///
  /// - Throws: `NetworkError` of kind `resourceExhausted` when no descriptor or thread is left, and of kind `unsupported` when
  ///   the loaded libcurl is older than 7.80, or does not support the configuration's version of HTTP.
  public init(_ configuration: Configuration = Configuration()) throws(NetworkError) {
    let library = CurlLibrary.loaded
    guard library.isUsable else {
      throw NetworkError(
        .unsupported, stage: .preparing,
        message: "libcurl \(library.version) is too old or has no HTTP; 7.80 or later is needed.")
    }
    if configuration.version == .http2 || configuration.version == .http2PriorKnowledge, !library.has(.http2) {
      throw NetworkError(
        .unsupported, stage: .preparing,
        message: "libcurl \(library.version) is not reliable over HTTP/2; 8.14.0 or later is needed, except 8.16."
      ).with { $0.missing = .http2 }
    }
    capabilities = Self.capabilities(of: configuration)
    self.configuration = configuration.sensible
    limits = TimeLimits(configuration.timeouts)
    keeper = LoopKeeper(try EventLoop(self.configuration), network: configuration.network)
  }

  /// Returns the capabilities of a transport with a configuration.
  ///
  /// It does not start a transport.
  public static func capabilities(of configuration: Configuration = Configuration()) -> TransportCapabilities {
    CurlLibrary.loaded.capabilities(offering: configuration.version)
  }

  /// Sends one request once; see `Transport`.
  ///
  /// - Throws: `NetworkError`, or `CancellationError`.
  public nonisolated(nonsending) func send(_ request: Request, in exchange: Exchange) async throws -> Response {
    try Task.checkCancellation()
    let plan = try SendPlan(
      request, in: exchange, capabilities: capabilities, configuration: configuration, limits: limits)
    let flight = CurlFlight(plan, exchange: exchange, keeper)
    return try await flight.response()
  }

  /// Opens a two-way connection; see `DuplexTransport`.
  ///
  /// A rate limit is refused with `unsupported`. The connection counts among the requests of its origin until it is made.
  ///
  /// - Throws: `NetworkError`, or `CancellationError`.
  public nonisolated(nonsending) func connect(
    _ request: Request, in exchange: Exchange
  ) async throws -> DuplexConnection {
    try Task.checkCancellation()
    guard request.options.rateLimit == nil else { throw NetworkError.unsupported(.rateLimit, request: request) }
    var bare = request
    bare.method = .get
    bare.body = .empty
    bare.options.needs.insert(.duplex)
    let plan = try SendPlan(
      bare, in: exchange, capabilities: capabilities, configuration: configuration, limits: limits, isDuplex: true)
    return try await CurlFlight(plan, exchange: exchange, keeper).connection()
  }

  /// Cancels running requests and waits until the thread and descriptors are gone.
  public func shutdown() async { await keeper.loop.stopped() }
}

extension Transport where Self == CurlTransport {
  /// The default transport.
  ///
  /// - Throws: The errors of `CurlTransport.init`.
  public static func curl(
    _ configuration: CurlTransport.Configuration = CurlTransport.Configuration()
  ) throws(NetworkError) -> CurlTransport {
    try CurlTransport(configuration)
  }
}
