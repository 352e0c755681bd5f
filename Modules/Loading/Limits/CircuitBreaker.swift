public import CurlewCore
import HTTPTypes

extension NetworkError.Kind {
  /// The origin failed repeatedly and is not contacted for a while; nothing was sent.
  public static let circuitOpen = NetworkError.Kind(rawValue: "circuit-open")
}

/// Stops sending to an origin that fails repeatedly.
///
/// After `failureLimit` consecutive failures its requests fail at once with `circuitOpen`, without sending a byte.
/// After `openFor`, `probes` requests may pass, and their outcomes decide. If they have none after `openFor` again, others may
/// pass. Failures are: a connection that could not be
/// made or was lost, a timeout before the head, a response that is not HTTP, and 500, 502, 503 and 504. Errors after
/// the head, cancellation and the app's own errors do not count. Time is that of each exchange's clock. Put it among
/// the interceptors for each hop. Safe from any isolation.
///
/// ```swift
/// chain.perHop.append(CircuitBreaker(failureLimit: 5, openFor: .seconds(30)))
/// ```
public final class CircuitBreaker: Interceptor {
  private let rule: Circuit.Rule
  private let circuits = Guarded<[Origin: Circuit]>([:])

  /// The most origins with failures; beyond it, another one is forgotten.
  static let originLimit = 1_000

  /// Creates a breaker.
  ///
  /// - Parameters:
  ///   - failureLimit: How many consecutive failures open the circuit, 1 or more.
  ///   - openFor: How long nothing passes, and how long a probe may take until its head arrives.
  ///   - probes: How many requests must then succeed, 1 or more.
  public init(failureLimit: Int = 5, openFor: Duration = .seconds(30), probes: Int = 1) {
    rule = Circuit.Rule(
      failureLimit: max(1, failureLimit), openFor: openFor.limited, probes: max(1, probes))
  }

  /// Returns the state of an origin's circuit at a moment of the exchanges' clock.
  public func state(for origin: Origin, at now: ContinuousClock.Instant) -> CircuitState {
    circuits.withLock { $0[origin] }?.state(at: now) ?? .closed
  }

  /// Lets a request pass, or rejects it.
  ///
  /// - Throws: `NetworkError` of kind `circuitOpen`; the errors of the rest of the chain.
  public func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    // The transport rejects a URL without an origin.
    guard let origin = try? request.origin else { return try await next(request, in: exchange) }
    let clock = exchange.settings.clock
    let period: Circuit.Period
    switch admit(origin, at: clock.now) {
    case .pass(let admitted): period = admitted
    case .refuse(let until):
      let left = max(.zero, clock.now.duration(to: until)).components.seconds
      throw NetworkError(
        .circuitOpen, stage: .preparing,
        message: "\(origin) failed \(rule.failureLimit) times in a row, and is asked again in \(left + 1) s."
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

  /// Changes a circuit; stores it only if there is something to remember.
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
