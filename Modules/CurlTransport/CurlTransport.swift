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
        message: "libcurl \(library.version) is too old or has no HTTP.", advice: "Use libcurl 7.80 or later.")
    }
    if configuration.version == .http2 || configuration.version == .http2PriorKnowledge, !library.has(.http2) {
      throw NetworkError(
        .unsupported, stage: .preparing,
        message: "libcurl \(library.version) is not reliable over HTTP/2."
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

extension CurlTransport {
  /// The limits and defaults of a transport, as a value.
  ///
  /// A number outside its range is replaced by the nearest number inside.
  public struct Configuration: Sendable {
    /// The timeouts for requests that leave them unset.
    ///
    /// By default 30 s to connect, 60 s without a byte, and no total timeout.
    public var timeouts = Timeouts(connect: .seconds(30), idle: .seconds(60), total: nil)
    /// The HTTP version for requests that leave it unset.
    ///
    /// HTTP/2 is offered only by a libcurl that supports it reliably: 8.14.0 and later, except 8.16. With another one,
    /// `.automatic` offers HTTP/1.1, and `.http2` and `.http2PriorKnowledge` are refused.
    public var version = VersionPolicy.automatic
    /// Evaluates trust for exchanges that have no evaluator of their own.
    public var defaultServerTrust: any ServerTrustEvaluating = SystemTrust()
    /// The most simultaneous requests to one origin, 1 or more.
    ///
    /// Further requests wait in order of priority. The wait counts in no timeout.
    public var requestsPerOrigin = 256
    /// The most simultaneous requests in total, 1 or more; nil sets no limit.
    public var requestsInAll: Int?
    /// The most open connections, 1 or more; beyond it idle ones are closed.
    public var connectionsKept = 1024
    /// The most bytes of a header section, 1 kB…256 kB, with trailers and 1xx heads.
    public var headerBytes = 256 * 1024
    /// The most fields of a header section, 1…10,000; a folded line counts as one.
    public var headerFields = 1_000
    /// The most informational heads before the final one, 0 or more.
    public var informationalHeads = 100
    /// The most bytes of a body to buffer for its reader, 16 kB or more.
    ///
    /// Beyond it the transport stops reading the socket.
    public var bodyBuffer = 256 * 1024
    /// Tells when the machine's network changes; nil for no such check.
    ///
    /// Soon after each change no request uses a connection from before any more. A connection whose network is gone gives no sign of it before a timeout. What runs on a connection at the change may
    /// finish. Give it a monitor that was started, such as CurlewReachability's `ReachabilityMonitor`.
    public var network: (any ReachabilityMonitoring)?
    /// How long `Expect: 100-continue` delays the body, 1 ms…1 h.
    ///
    /// If no response has arrived by then, the body is sent.
    public var continueWait = Duration.seconds(1)

    /// The file to which the secrets of TLS connections are appended, for Wireshark; nil writes none.
    ///
    /// Whoever has the file can read the recorded traffic, so set it while you look for a fault, and never by default. It is created for
    /// its owner only, and written on the transport's thread. The variable `SSLKEYLOGFILE` alone has no effect; an app that wants to
    /// follow it sets this to `ProcessInfo.processInfo.environment["SSLKEYLOGFILE"]`. A transport with a file that cannot be opened is not
    /// created.
    public var keyLogPath: String?

    /// The file system of bodies; tests of this package replace it.
    package var files: any FileSystem = LocalFileSystem()
    /// Which idle connections are closed; tests of this package change it.
    package var idleRule = IdleRule()
    /// The time since the machine started, with the time asleep; tests of this package replace it.
    package var sinceBoot: @Sendable () -> UInt64 = { SleepWatch.sinceBoot() }
    /// The trust locks in use; only tests of this package switch any of them off.
    package var trustLocks = TrustLockSwitches.all
    /// Called before a thread wakes the loop; tests of this package delay the thread.
    package var beforeWaking: (@Sendable () -> Void)?

    /// Creates the default configuration.
    public init() {}

    /// A copy with each number limited to its range.
    var sensible: Configuration {
      var sensible = self
      sensible.requestsPerOrigin = max(1, requestsPerOrigin)
      sensible.requestsInAll = requestsInAll.map { max(1, $0) }
      sensible.connectionsKept = max(1, connectionsKept)
      sensible.headerBytes = min(max(1024, headerBytes), 256 * 1024)
      sensible.headerFields = min(max(1, headerFields), 10_000)
      sensible.informationalHeads = max(0, informationalHeads)
      sensible.bodyBuffer = max(16 * 1024, bodyBuffer)
      sensible.continueWait = min(max(.milliseconds(1), continueWait), .seconds(3600))
      return sensible
    }
  }
}

/// Keeps a loop running; its last reference stops the loop.
///
/// The transport and every unfinished request hold one. A body can therefore be read to its end after its transport's last
/// reference is released.
final class LoopKeeper: Sendable {
  let loop: EventLoop

  /// Leaves the connections at each change of the network.
  private let watching: Task<Void, Never>?

  /// - Parameter network: Tells when the network changes; nil if nothing does.
  init(_ loop: EventLoop, network: (any ReachabilityMonitoring)?) {
    self.loop = loop
    watching = network.map { network in
      // The first path is the current one.
      let changes = network.changes().dropFirst()
      return Task { for await _ in changes where !loop.post(.leaveConnections) { break } }
    }
  }

  deinit {
    watching?.cancel()
    loop.stop()
  }
}
