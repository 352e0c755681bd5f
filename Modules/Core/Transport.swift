/// Carries one request to a server and brings its response back.
///
/// A transport moves bytes and nothing else: it follows no redirect, answers no challenge, keeps no cookie, caches
/// nothing and repeats nothing; all that is done above it, once for every transport. It must:
/// - refuse, before a byte is sent, what its `capabilities` do not cover, with `NetworkError.Kind.unsupported`;
/// - return when the final head has arrived (1xx heads are events), while the upload may still go on;
/// - tell the exchange what happens as it happens: `connected`, `responded` before any `received`, `measured` last;
/// - leave the body in the socket until it is pulled;
/// - end a cancelled exchange with `CancellationError`, at every point;
/// - report a connection that went away as `connectionLost`, with what the server may have seen;
/// - record one `ExchangeMetrics` in the exchange when the body has ended, failed or was dropped.
///
/// `TransportConformance` in CurlewTestSupport checks these rules. Called from any isolation, by many tasks at once.
public protocol Transport: Sendable {
  /// What this transport can do.
  var capabilities: TransportCapabilities { get }

  /// Sends one request once, follows nothing; returns when the final head has arrived.
  ///
  /// It begins on its caller's executor, which is no actor's where a loader calls it.
  ///
  /// - Throws: `NetworkError`, or `CancellationError`.
  nonisolated(nonsending) func send(_ request: Request, in exchange: Exchange) async throws -> Response

  /// Ends what is in flight with `transportShutDown` and returns when no thread, descriptor or task is left.
  ///
  /// Afterwards `send` throws `transportShutDown`. May be called more than once.
  func shutdown() async
}

extension Transport {
  /// Has nothing to release.
  public func shutdown() async {}
}
