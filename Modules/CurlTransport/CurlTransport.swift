public import CurlewCore

/// The default transport: libcurl on an event loop of Curlew's own.
///
/// HTTP/1.1 and, on a libcurl that carries it reliably, HTTP/2 (see `Configuration.version`), proxies, Unix sockets, trust
/// decided inside the handshake, backpressure down to the socket. Content is handed on as it was sent
/// (CurlewContentCoding decodes it). One thread for each transport, whatever the number of requests. It follows no
/// redirect, keeps no cookie, repeats nothing and reads nothing from the environment. Call `shutdown()` to end its thread,
/// or drop it: the thread ends then with the last request and body that are not over.
///
/// ```swift
/// let transport = try CurlTransport()
/// let response = try await transport.send(Request(.get, url), in: Exchange())
/// let bytes = try await response.body.collect(upTo: 1 << 20)
/// await transport.shutdown()
/// ```
public final class CurlTransport: Transport {
  /// What the libcurl that is loaded can do; with `automaticHTTP2` where HTTP/2 is offered unasked.
  public let capabilities: TransportCapabilities
  /// The libcurl that is loaded, such as `8.14.1`.
  public static var libraryVersion: String { CurlLibrary.loaded.version }
  private let configuration: Configuration
  private let limits: TimeLimits
  private let keeper: LoopKeeper
  /// Runs tasks on the transport's own thread, for programs that live from many small requests.
  ///
  /// A task that prefers it, by `withTaskExecutorPreference(transport.executor)`, is handed responses without a switch of
  /// threads, which saves a fifth of the CPU of a small request. All transfers wait while its code runs, so it must not
  /// block or compute for long. After `shutdown()` such tasks go on on the global executor.
  public var executor: any TaskExecutor { keeper.loop }

  /// Starts a transport and its thread.
  ///
  /// - Throws: `NetworkError` of kind `resourceExhausted` when there is no descriptor or thread left, and of kind
  ///   `unsupported` when the libcurl that is loaded is older than 7.80.
  public init(_ configuration: Configuration = Configuration()) throws(NetworkError) {
    let library = CurlLibrary.loaded
    guard library.isUsable else {
      throw NetworkError(
        .unsupported, stage: .preparing,
        message: "libcurl \(library.version) is too old or has no HTTP; 7.80 or later is needed.")
    }
    capabilities = Self.capabilities(of: configuration)
    self.configuration = configuration.sensible
    limits = TimeLimits(configuration.timeouts)
    keeper = LoopKeeper(try EventLoop(self.configuration))
  }

  /// What a transport of a configuration can do, without starting one.
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

  /// Ends what is in flight and returns when the thread and all descriptors are gone.
  public func shutdown() async { await keeper.loop.stopped() }
}

extension Transport where Self == CurlTransport {
  /// The default transport.
  ///
  /// - Throws: As `CurlTransport.init`.
  public static func curl(
    _ configuration: CurlTransport.Configuration = CurlTransport.Configuration()
  ) throws(NetworkError) -> CurlTransport {
    try CurlTransport(configuration)
  }
}
