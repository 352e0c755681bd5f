public import CurlewCore

extension Transfer {
  /// What a transfer asks, where the answer goes and what is made of it.
  public struct Configuration: Sendable {
    /// Makes the request of an attempt.
    public var request: @Sendable (AttemptContext) async throws -> Request
    /// Where the body goes.
    public var sink: any TransferSink
    /// Looks at a head before anything is stored; throws to refuse it. Nil accepts every head the sink accepts.
    ///
    /// An error of kind `unacceptableStatus` or `unacceptableContentType` gets the start of the body added.
    public var validate: (@Sendable (ResponseHead, Request) async throws -> Void)?
    /// Makes the value of a complete body; throws to fail the attempt.
    public var decode: @Sendable (TransferResult) async throws -> Value
    /// Whether, when and how often another attempt follows; nil tries again only where `shouldRetry` says so.
    public var retry: RetryPolicy?
    /// Asked after each attempt, with the value of one that succeeded; nil leaves it to the policy.
    ///
    /// With a policy it is asked where the policy's limits allow another attempt, and its answer is bound by them. Not
    /// asked after cancellation. It may take its time; cancelling the transfer ends its task.
    public var shouldRetry: (@Sendable (TransferAttempt, Value?) async -> RetryDecision)?
    /// What becomes of the connection while the transfer is paused.
    public var pausing = PausePolicy.hold
    /// How much of a refused response's body its error carries, in bytes; at most `NetworkError.keptBodyBytes`.
    public var errorBodyLimit = TransferValidation.errorBodyLimit
    /// What the exchange may use, its deadline included; nil takes the loader's.
    public var settings: ExchangeSettings?
    /// Whether another request can be had after the first.
    var isRepeatable = true

    /// Makes a configuration.
    ///
    /// - Parameters:
    ///   - request: Called once for each attempt.
    ///   - sink: Where the body goes.
    ///   - decode: Makes the value.
    public init(
      request: @escaping @Sendable (AttemptContext) async throws -> Request, to sink: any TransferSink,
      decode: @escaping @Sendable (TransferResult) async throws -> Value
    ) {
      self.request = request
      self.sink = sink
      self.decode = decode
    }

    /// Makes a configuration that asks the same in each attempt.
    ///
    /// A body that can be sent once is asked for again by `ExchangeHooks.newBody`; without an answer the attempt fails
    /// with `bodyNotReplayable`. A policy makes no such attempt.
    public init(
      _ request: Request, to sink: any TransferSink, settings: ExchangeSettings? = nil,
      decode: @escaping @Sendable (TransferResult) async throws -> Value
    ) {
      self.init(request: RepeatedRequest.make(request, settings), to: sink, decode: decode)
      self.settings = settings
      isRepeatable = request.body.isReplayable || settings?.hooks.newBody != nil
    }
  }
}

extension Transfer where Value == TransferResult {
  /// Makes a transfer whose value is the head and where the body is.
  public convenience init(
    _ loader: Loader, _ request: Request, to sink: any TransferSink, settings: ExchangeSettings? = nil
  ) {
    self.init(loader, Configuration(request, to: sink, settings: settings ?? loader.settings) { $0 })
  }
}

/// The same request for each attempt, with another body where the first cannot be sent again.
private enum RepeatedRequest {
  static func make(
    _ request: Request, _ settings: ExchangeSettings?
  ) -> @Sendable (AttemptContext) async throws -> Request {
    let newBody = settings?.hooks.newBody
    return { attempt in
      guard attempt.number > 1, !request.body.isReplayable else { return request }
      var request = request
      guard let body = try await newBody?(request) else {
        throw NetworkError(
          .bodyNotReplayable, stage: .preparing,
          message: "The body can be sent once, and nobody gave another.", underlying: attempt.previous?.error)
      }
      request.body = body
      return request
    }
  }
}
