import Glibc

/// Sends one request to a server and returns its response.
///
/// A transport only moves bytes: it follows no redirect, answers no challenge, keeps no cookie, caches nothing and
/// repeats nothing; the layers above do that once for every transport. It must:
/// - reject what its `capabilities` do not cover before a byte is sent, with `NetworkError.Kind.unsupported`;
/// - return when the final head has arrived (1xx heads are events), even if the upload continues;
/// - report events as they happen: `connected`, `responded` before any `received`, `measured` last;
/// - leave the body in the socket until it is read;
/// - end a cancelled exchange with `CancellationError`, at every point;
/// - report a lost connection as `connectionLost`, with what the server may have seen;
/// - record one `ExchangeMetrics` in the exchange when the body has ended, failed or was released.
///
/// `TransportConformance` in CurlewTestSupport checks these rules. It is called from any isolation, by many tasks at
/// once.
public protocol Transport: Sendable {
  /// The capabilities of the transport.
  var capabilities: TransportCapabilities { get }

  /// Sends one request once, and returns when the final head has arrived.
  ///
  /// It starts on its caller's executor, which is not an actor's when a loader calls it.
  ///
  /// - Throws: `NetworkError`, or `CancellationError`.
  nonisolated(nonsending) func send(_ request: Request, in exchange: Exchange) async throws -> Response

  /// Cancels requests in flight with `transportShutDown`.
  ///
  /// Returns when no thread, descriptor or task is left.
  ///
  /// Afterwards `send` throws `transportShutDown`. It may be called more than once.
  func shutdown() async
}

extension Transport {
  /// Does nothing, since there is nothing to release.
  public func shutdown() async {}
}

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

/// Knows the threads on which transports move bytes.
///
/// Drain sinks, trust evaluators and some observers run there. Code that must never block such a thread can check
/// whether it runs on one.
public enum TransportThread {
  /// The key that marks a thread; nil if the process has no key left.
  ///
  /// Without it, no thread is known as a transport's.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  /// Marks the calling thread as a transport's, for its lifetime.
  public static func enter() {
    guard let key else { return }
    // Any pointer except nil works; it is never dereferenced.
    pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
  }

  /// Whether the calling thread is a transport's.
  public static var isCurrent: Bool {
    guard let key else { return false }
    return pthread_getspecific(key) != nil
  }
}
