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
