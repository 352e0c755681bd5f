public import CurlewCore

/// The default transport: libcurl on an event loop of Curlew's own.
///
/// HTTP/1.1 and HTTP/2, content codings, proxies, Unix sockets, trust decided inside the handshake, backpressure down to
/// the socket. One thread for each transport, whatever the number of requests. It follows no redirect, keeps no cookie,
/// repeats nothing and reads nothing from the environment. Drop it or call `shutdown()` to end its thread.
///
/// ```swift
/// let transport = try CurlTransport()
/// let response = try await transport.send(Request(.get, url), in: Exchange())
/// let bytes = try await response.body.collect(upTo: 1 << 20)
/// await transport.shutdown()
/// ```
public final class CurlTransport: Transport {
  /// What the libcurl that is loaded can do.
  public let capabilities: TransportCapabilities
  private let configuration: Configuration
  private let limits: TimeLimits
  private let loop: EventLoop
  /// Runs tasks on the transport's own thread, for programs that live from many small requests.
  ///
  /// A task that prefers it, by `withTaskExecutorPreference(transport.executor)`, is handed responses without a switch of
  /// threads, which saves a fifth of the CPU of a small request. All transfers wait while its code runs, so it must not
  /// block or compute for long. After `shutdown()` such tasks go on on the global executor.
  public var executor: any TaskExecutor { loop }

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
    capabilities = library.capabilities
    self.configuration = configuration.sensible
    limits = TimeLimits(configuration.timeouts)
    loop = try EventLoop(self.configuration)
  }

  deinit { loop.stop() }

  /// Sends one request once; see `Transport`.
  ///
  /// - Throws: `NetworkError`, or `CancellationError`.
  public nonisolated(nonsending) func send(_ request: Request, in exchange: Exchange) async throws -> Response {
    try Task.checkCancellation()
    let plan = try SendPlan(
      request, in: exchange, capabilities: capabilities, configuration: configuration, limits: limits)
    let flight = Flight(plan, exchange: exchange, loop: loop)
    return try await flight.response()
  }

  /// Ends what is in flight and returns when the thread and all descriptors are gone.
  public func shutdown() async { await loop.stopped() }
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
