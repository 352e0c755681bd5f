public import CurlewCore
public import FoundationEssentials

/// Loads one logical request through interceptors and a transport.
///
/// It fills unset options from its defaults, rejects what the transport cannot do, enforces the exchange's deadline,
/// repeats a request on a lost connection if that is safe, and notifies the observers. It does not follow redirects,
/// keep cookies or cache by itself: the interceptors of its chain do, in the order of `InterceptorChain`. It retries
/// nothing else: `Transfer` does. Safe from any isolation.
///
/// ```swift
/// let loader = Loader(transport, chain: InterceptorChain(redirect: Redirect(), cookies: Cookies(jar)))
/// let response = try await loader.load(Request(.get, "https://example.com/"))
/// let page = try await response.body.collect(upTo: 1 << 20)
/// ```
public struct Loader: Sendable {
  /// The transport that sends the requests.
  public let transport: any Transport
  private let defaults: Defaults

  /// The settings shared by all requests.
  ///
  /// On the heap, since every transfer stores a loader.
  private final class Defaults: Sendable {
    let chain: InterceptorChain
    /// The first step of the chain; nil when the chain is empty.
    let first: Next?
    let sending: TransportStep
    let options: RequestOptions
    let settings: Exchange.SharedSettings
    let changesOptions: Bool
    private let knownAsks = Guarded<HookNames?>(nil)

    /// What the chain asks, read once, when a request first has hooks.
    var asks: HookNames {
      if let known = knownAsks.withLock({ $0 }) { return known }
      let asks = chain.asks
      knownAsks.withLock { $0 = asks }
      return asks
    }

    init(
      _ chain: InterceptorChain, _ options: RequestOptions, _ settings: ExchangeSettings, _ transport: any Transport
    ) {
      self.chain = chain
      let interceptors = chain.inOrder(over: transport.capabilities)
      let sending = TransportStep(transport, chain.cookies)
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

  /// Creates a loader.
  ///
  /// - Parameters:
  ///   - chain: The interceptors, each in its place.
  ///   - options: Defaults for options that a request leaves unset.
  ///   - settings: The settings of exchanges that the loader creates.
  public init(
    _ transport: any Transport, chain: InterceptorChain, options: RequestOptions = RequestOptions(),
    settings: ExchangeSettings = ExchangeSettings()
  ) {
    self.transport = transport
    defaults = Defaults(chain, options, settings, transport)
  }

  /// Creates a loader that only has the app's own interceptors.
  ///
  /// - Parameters:
  ///   - interceptors: The interceptors, outermost first.
  ///   - options: Defaults for options that a request leaves unset.
  ///   - settings: The settings of exchanges that the loader creates.
  public init(
    _ transport: any Transport, interceptors: [any Interceptor] = [], options: RequestOptions = RequestOptions(),
    settings: ExchangeSettings = ExchangeSettings()
  ) {
    self.init(transport, chain: InterceptorChain(interceptors), options: options, settings: settings)
  }

  /// The interceptors, each in its place.
  public var chain: InterceptorChain { defaults.chain }

  /// The hooks that the chain's interceptors call.
  package var asks: HookNames { defaults.asks }

  /// Defaults for options that a request leaves unset.
  public var options: RequestOptions { defaults.options }

  /// The settings of exchanges that the loader creates.
  public var settings: ExchangeSettings { defaults.settings.settings }

  /// The settings in the form that exchanges share.
  var sharedSettings: Exchange.SharedSettings { defaults.settings }

  /// Loads one logical request and returns when its final head has arrived.
  ///
  /// Observers receive `.started` first and exactly one `.finished` last: when the body has ended, failed or was
  /// released, or when this call throws.
  ///
  /// - Parameter exchange: The context of this request; nil creates one with the loader's settings.
  /// - Throws: `NetworkError`, `CancellationError`, or the error of an interceptor. After the exchange's deadline it is
  ///   `timedOut`, thrown here or by the body.
  public func load(_ request: Request, in exchange: Exchange? = nil) async throws -> Response {
    try await start(request, in: exchange)
  }

  /// Loads a request like `load`, on the caller's executor.
  package nonisolated(nonsending) func start(_ request: Request, in exchange: Exchange?) async throws -> Response {
    let exchange = exchange ?? Exchange(defaults.settings)
    if exchange.isObserved || exchange.hasDeadline { return try await watched(request, in: exchange) }
    return try await attempt(request, in: exchange)
  }

  /// Makes one attempt of a logical request.
  ///
  /// The caller is responsible for its start, end and deadline.
  ///
  /// - Throws: The same errors as `load`.
  public nonisolated(nonsending) func attempt(_ request: Request, in exchange: Exchange) async throws -> Response {
    let request = merged(request)
    do {
      guard let first = defaults.first else { return try await defaults.sending.run(request, in: exchange) }
      return try await first(request, in: exchange)
    } catch let error as NetworkError {
      // An error names the request that it ends, also if an interceptor or a transport of the app threw it.
      throw error.naming(request).explained(for: request)
    }
  }

  private func merged(_ request: Request) -> Request {
    var request = request
    // Before an interceptor signs them.
    request.joinCookies()
    guard defaults.changesOptions else { return request }
    request.options = request.options.over(defaults.options)
    return request
  }

  /// Loads a request and reports its events to the observers.
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
        response.body = response.body.tapped(by: FinishingTap(exchange, expectsNothing: expectsNothing))
      }
      return response
    } catch {
      exchange.emit(.finished(.init(ending: error), metrics: exchange.metrics))
      throw error
    }
  }

  /// Cancels the attempt and its body at the deadline.
  private func attempt(
    _ request: Request, in exchange: Exchange, until deadline: ContinuousClock.Instant
  ) async throws -> Response {
    let watch = DeadlineWatch(deadline, exchange.settings.clock, request)
    var response = try await watch.head { try await attempt(request, in: exchange) }
    response.body = response.body.tapped(by: DeadlineTap(watch, cancelling: response.body))
    return response
  }
}

extension Loader: Hashable {
  /// Returns whether both are copies of the same loader.
  public static func == (left: Loader, right: Loader) -> Bool { left.defaults === right.defaults }

  /// Hashes the identity that copies share.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(defaults)) }
}

extension ExchangeEvent.Outcome {
  /// Creates the outcome of an exchange that ended with an error.
  init(ending error: any Error) { self = error is CancellationError ? .cancelled : .failure(error) }
}

extension Loader {
  /// Loads a request and collects the body, whatever the status.
  ///
  /// - Parameter limit: The most bytes to collect, 0 or more.
  /// - Throws: The same errors as `load`; `bodyTooLarge` beyond the limit.
  public func data(
    for request: Request, upTo limit: Int, in exchange: Exchange? = nil
  ) async throws -> (Data, ResponseHead) {
    let response = try await start(collecting(request), in: exchange)
    do {
      return (try await response.body.gather(upTo: limit, expecting: response.head.expectedLength), response.head)
    } catch let error as NetworkError {
      throw error.naming(request)
    }
  }

  /// Loads a request and writes the body into a sink.
  ///
  /// This happens on the transport's own thread if it has one.
  ///
  /// Only a body with a 2xx status reaches the sink, so that no error page ends up in a file. For a sink that often
  /// blocks, set `ResponseDelivery.streamed` on the request; if the option is unset, the sink counts as fast.
  ///
  /// - Throws: The same errors as `load`; `unacceptableStatus` with the start of the body; the error of the sink.
  @discardableResult
  public func download(
    _ request: Request, to sink: any BodySink, in exchange: Exchange? = nil
  ) async throws -> ResponseHead {
    let response = try await load(request.options.delivery == nil ? collecting(request) : request, in: exchange)
    do {
      try TransferValidation.successStatus(response.head)
    } catch {
      throw await error.withStart(of: response.body, upTo: TransferValidation.errorBodyLimit).naming(request)
    }
    do {
      try await response.body.drain(into: sink)
    } catch let error as NetworkError {
      throw error.naming(request)
    }
    return response.head
  }

  private func collecting(_ request: Request) -> Request {
    var request = request
    request.options.delivery = .collected
    return request
  }
}
