public import CurlewCore

/// One request with a delegate that is told all that happens to it, as `NSURLConnection` did.
///
/// A `Transfer` in another shape: it makes one attempt, passes the loader's redirects, challenges and cache questions on
/// to its delegate, and hands the body over piece by piece, each read only when the one before was taken. The order of
/// the calls is the contract of `ConnectionDelegate`. Safe from any isolation.
///
/// ```swift
/// let connection = Connection(request, over: loader, delegate: delegate)
/// connection.start()
/// ```
///
/// A started connection goes on to its end when nobody holds it any more.
public final class Connection: Sendable {
  /// The request as it was given.
  public let originalRequest: Request
  private let relay: ConnectionRelay
  private let transfer: Transfer<TransferResult>

  /// Makes a connection that waits for `start`.
  ///
  /// - Parameters:
  ///   - delegate: Held until the end; answers for all hooks of the settings but `newBody`, which is asked where the
  ///     delegate has no new body.
  ///   - executor: Where the delegate is called; it must keep the order of its work. A serial queue of the connection's
  ///     own unless set; `CallbackExecutor.isolated(to:)` is the one of the actor that starts it.
  ///   - settings: What the exchange may use; nil takes the loader's.
  public init(
    _ request: Request, over loader: Loader, delegate: any ConnectionDelegate,
    callingOn executor: CallbackExecutor = .serial(), settings: ExchangeSettings? = nil
  ) {
    originalRequest = request
    var settings = settings ?? loader.settings
    let relay = ConnectionRelay(delegate, executor)
    relay.answer(&settings.hooks)
    if !request.body.isEmpty { settings.observers.append(ConnectionUpload(relay)) }
    self.relay = relay
    transfer = Transfer(loader, request, to: ConnectionSink(relay: relay), settings: settings)
  }

  /// Begins.
  ///
  /// - Returns: Whether it was neither started nor cancelled before.
  @discardableResult
  public func start() -> Bool {
    guard relay.begin(self) else { return false }
    transfer.onFinish(on: relay.executor) { [relay] in relay.end($0) }
    return transfer.start()
  }

  /// Ends it: the delegate is let go and not called any more.
  ///
  /// Called on the executor, from a delegate method above all, no call follows. Called elsewhere, one that is under way
  /// goes on to its end.
  ///
  /// - Returns: Whether it was not over.
  @discardableResult
  public func cancel() -> Bool {
    guard relay.cancel() else { return false }
    transfer.cancel()
    return true
  }

  /// The request that was sent last, after redirects; nil before one was sent.
  public var currentRequest: Request? { relay.currentRequest ?? transfer.request }

  /// Bytes of the body that came.
  public var downloadProgress: TransferProgressSequence { transfer.downloadProgress }

  /// Bytes of the request's body that went, also after the response came.
  public var uploadProgress: TransferProgressSequence { transfer.uploadProgress }

  /// The measurements so far, one for each hop that was sent.
  public var metrics: [ExchangeMetrics] { transfer.metrics }

  /// Returns when it is over and nothing of it runs any more, the last call of the delegate included.
  ///
  /// Not to be awaited from work that keeps the executor busy.
  public func settled() async {
    await transfer.settled()
    await relay.flush()
  }
}
