public import CurlewCore

/// Loads one logical request: interceptors around a transport.
///
/// It fills unset options from its defaults, refuses what the transport cannot do, keeps the exchange's deadline, sends
/// again what a lost connection left certainly or harmlessly undone, and tells the observers. It follows no redirect,
/// keeps no cookie and caches nothing by itself: that is for the interceptors of its chain, in the order that
/// `InterceptorChain` gives them. It retries nothing else: that is for `Transfer`. Safe from any isolation.
///
/// ```swift
/// let loader = Loader(transport, chain: InterceptorChain(redirect: Redirect(), cookies: Cookies(jar)))
/// let response = try await loader.load(Request(.get, "https://example.com/"))
/// let page = try await response.body.collect(upTo: 1 << 20)
/// ```
public struct Loader: Sendable {
  /// What carries requests in the end.
  public let transport: any Transport
  private let defaults: Defaults

  /// What is the same for all requests; boxed, since every transfer keeps a loader.
  private final class Defaults: Sendable {
    let chain: InterceptorChain
    /// The chain ready to be called; nil where it is empty.
    let first: Next?
    let sending: Sending
    let options: RequestOptions
    let settings: Exchange.SharedSettings
    let changesOptions: Bool

    init(
      _ chain: InterceptorChain, _ options: RequestOptions, _ settings: ExchangeSettings, _ transport: any Transport
    ) {
      self.chain = chain
      let interceptors = chain.inOrder
      let sending = Sending(transport, chain.cookies)
      self.sending = sending
      first =
        interceptors.isEmpty
        ? nil
        : Next(interceptors) { request, exchange in try await sending.run(request, in: exchange) }
      self.options = options
      self.settings = Exchange.SharedSettings(settings)
      changesOptions = options != RequestOptions()
    }
  }

  /// Makes a loader.
  ///
  /// - Parameters:
  ///   - chain: What handles requests on the way, each in its place.
  ///   - options: Taken where a request leaves an option unset.
  ///   - settings: Those of the exchanges it begins by itself.
  public init(
    _ transport: any Transport, chain: InterceptorChain, options: RequestOptions = RequestOptions(),
    settings: ExchangeSettings = ExchangeSettings()
  ) {
    self.transport = transport
    defaults = Defaults(chain, options, settings, transport)
  }

  /// Makes a loader with interceptors of the app's own alone.
  ///
  /// - Parameters:
  ///   - interceptors: Outermost first.
  ///   - options: Taken where a request leaves an option unset.
  ///   - settings: Those of the exchanges it begins by itself.
  public init(
    _ transport: any Transport, interceptors: [any Interceptor] = [], options: RequestOptions = RequestOptions(),
    settings: ExchangeSettings = ExchangeSettings()
  ) {
    self.init(transport, chain: InterceptorChain(interceptors), options: options, settings: settings)
  }

  /// What handles requests on the way, each in its place.
  public var chain: InterceptorChain { defaults.chain }

  /// Taken where a request leaves an option unset.
  public var options: RequestOptions { defaults.options }

  /// Those of the exchanges it begins by itself.
  public var settings: ExchangeSettings { defaults.settings.settings }

  /// Loads one logical request and returns when its final head has arrived.
  ///
  /// Observers get `.started` first and exactly one `.finished` last: when the body has ended, failed or was dropped, or
  /// when this throws.
  ///
  /// - Parameter exchange: The context of this one request; nil begins one with the loader's settings.
  /// - Throws: `NetworkError`, `CancellationError`, or what an interceptor throws. Past the exchange's deadline
  ///   `timedOut`, here or from the body.
  public func load(_ request: Request, in exchange: Exchange? = nil) async throws -> Response {
    try await start(request, in: exchange)
  }

  /// The same on the caller's executor.
  nonisolated(nonsending) func start(_ request: Request, in exchange: Exchange?) async throws -> Response {
    let exchange = exchange ?? Exchange(defaults.settings)
    if exchange.isObserved || exchange.hasDeadline { return try await watched(request, in: exchange) }
    return try await attempt(request, in: exchange)
  }

  /// Makes one attempt of a logical request whose start, end and deadline are the caller's affair.
  ///
  /// - Throws: As `load`.
  public nonisolated(nonsending) func attempt(_ request: Request, in exchange: Exchange) async throws -> Response {
    let request = merged(request)
    guard let first = defaults.first else { return try await defaults.sending.run(request, in: exchange) }
    return try await first(request, in: exchange)
  }

  private func merged(_ request: Request) -> Request {
    guard defaults.changesOptions else { return request }
    var request = request
    request.options = request.options.over(defaults.options)
    return request
  }

  /// Loads with everything that someone who watches is owed.
  private func watched(_ request: Request, in exchange: Exchange) async throws -> Response {
    exchange.emit(.started(merged(request)))
    do {
      var response =
        if let deadline = exchange.settings.deadline {
          try await attempt(request, in: exchange, until: deadline)
        } else {
          try await attempt(request, in: exchange)
        }
      if exchange.isObserved {
        let expectsNothing = response.head.expectedLength == 0
        response.body = response.body.wrapped { FinishingBody($0, exchange, expectsNothing: expectsNothing) }
      }
      return response
    } catch {
      exchange.emit(.finished(.init(ending: error), metrics: exchange.metrics))
      throw error
    }
  }

  /// Ends the attempt and its body when the deadline passes.
  @inline(never) private func attempt(
    _ request: Request, in exchange: Exchange, until deadline: ContinuousClock.Instant
  ) async throws -> Response {
    let watch = DeadlineWatch(deadline, exchange.settings.clock)
    var response = try await watch.head { try await attempt(request, in: exchange) }
    response.body = response.body.wrapped { DeadlineBody($0, watch) }
    return response
  }
}

extension ExchangeEvent.Outcome {
  /// The outcome of what ended in an error.
  init(ending error: any Error) { self = error is CancellationError ? .cancelled : .failure(error) }
}
