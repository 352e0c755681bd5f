public import CurlewCore
import HTTPTypes

extension NetworkError.Kind {
  /// The server failed so often that it is left alone for a while; nothing was sent.
  public static let circuitOpen = NetworkError.Kind(rawValue: "circuit-open")
}

/// Leaves an origin alone for a while that fails again and again.
///
/// After `failureLimit` failures in a row its requests fail at once with `circuitOpen`, without a byte sent. After
/// `openFor` as many as `probes` pass, and what becomes of them decides. A failure is a connection that could not be made
/// or was lost, a timeout before the head, an answer that is not HTTP, and 500, 502, 503 and 504; what comes after the
/// head, a cancellation, and errors of the app's own count for nothing. Time is that of each exchange's clock. Belongs
/// among the interceptors for each hop. Safe from any isolation.
///
/// ```swift
/// chain.perHop.append(CircuitBreaker(failureLimit: 5, openFor: .seconds(30)))
/// ```
public final class CircuitBreaker: Interceptor {
  private let rule: Circuit.Rule
  private let circuits = Guarded<[Origin: Circuit]>([:])

  /// How many origins with failures are remembered; beyond that any other is forgotten.
  static let originLimit = 1_000

  /// Makes a breaker.
  ///
  /// - Parameters:
  ///   - failureLimit: How many failures in a row open it, 1….
  ///   - openFor: How long nothing passes.
  ///   - probes: How many must go well afterwards, 1….
  public init(failureLimit: Int = 5, openFor: Duration = .seconds(30), probes: Int = 1) {
    rule = Circuit.Rule(
      failureLimit: max(1, failureLimit), openFor: TransferLimits.sensible(openFor), probes: max(1, probes))
  }

  /// How an origin's circuit stands at a moment of the exchanges' clock.
  public func state(for origin: Origin, at now: ContinuousClock.Instant) -> CircuitState {
    circuits.withLock { $0[origin] }?.state(at: now) ?? .closed
  }

  /// Lets the request pass, or refuses it.
  ///
  /// - Throws: `NetworkError` of kind `circuitOpen`; what the rest of the chain throws.
  public func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    // A URL without an origin is for the transport to refuse.
    guard let origin = try? request.origin else { return try await next(request, in: exchange) }
    let clock = exchange.settings.clock
    let period: Circuit.Period
    switch admit(origin, at: clock.now) {
    case .pass(let admitted): period = admitted
    case .refuse(let until):
      let left = max(.zero, clock.now.duration(to: until)).components.seconds
      throw NetworkError(
        .circuitOpen, stage: .preparing,
        message: "\(origin) failed \(rule.failureLimit) times in a row; it is asked again in \(left + 1) s."
      ).with { $0.request = request }
    }
    do {
      let response = try await next(request, in: exchange)
      report(Self.outcome(of: response.head), origin, period, at: clock.now)
      return response
    } catch {
      report(Self.outcome(of: error), origin, period, at: clock.now)
      throw error
    }
  }

  private func admit(_ origin: Origin, at now: ContinuousClock.Instant) -> Circuit.Admission {
    change(origin) { $0.admit(at: now, rule) }
  }

  private func report(
    _ outcome: Circuit.Outcome, _ origin: Origin, _ period: Circuit.Period, at now: ContinuousClock.Instant
  ) {
    change(origin) { $0.report(outcome, of: period, at: now, rule) }
  }

  /// Changes a circuit; only those with something to remember are kept.
  private func change<Result>(_ origin: Origin, _ change: (inout Circuit) -> Result) -> Result {
    circuits.withLock { circuits in
      var circuit = circuits[origin] ?? Circuit()
      let result = change(&circuit)
      if !circuit.isPristine, circuits[origin] == nil, circuits.count >= Self.originLimit {
        _ = circuits.popFirst()
      }
      circuits[origin] = circuit.isPristine ? nil : circuit
      return result
    }
  }

  private static func outcome(of head: ResponseHead) -> Circuit.Outcome {
    [500, 502, 503, 504].contains(head.status.code) ? .failure : .success
  }

  private static func outcome(of error: any Error) -> Circuit.Outcome {
    guard let error = error as? NetworkError else { return .unknown }
    switch error.kind {
    case .nameLookupFailed, .connectionFailed, .connectTimedOut, .handshakeFailed, .connectionLost, .idleTimedOut,
      .timedOut, .protocolViolation, .headerLimitExceeded, .streamReset:
      return .failure
    default: return .unknown
    }
  }
}
