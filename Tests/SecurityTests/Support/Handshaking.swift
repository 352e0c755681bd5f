import CurlewCore
import CurlewCurlTransport
import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// How a handshake ended, as far as trust goes.
enum Outcome: Sendable, Hashable, CustomStringConvertible {
  case accepted
  case refused(ServerTrustError.Reason)
  case other(String)

  var description: String {
    switch self {
    case .accepted: "accepted"
    case .refused(let reason): "refused: \(reason.rawValue)"
    case .other(let text): text
    }
  }
}

/// One real handshake with a server that shows `identity`, and what reached it.
struct Handshaking {
  var outcome: Outcome
  var error: ServerTrustError?
  /// From the call to its answer.
  var duration: Duration = .zero
  /// Requests that the server saw.
  var requests = 0
  /// Handshakes that were complete for the server: without one it can read no byte of a request.
  var handshakes = 0

  static func with(
    _ identity: TestIdentity, host: String? = nil, under evaluator: any ServerTrustEvaluating
  ) async throws -> Handshaking {
    try await with(OriginTLS(identity), host: host, under: evaluator)
  }

  static func with(
    _ tls: OriginTLS, host: String? = nil, under evaluator: any ServerTrustEvaluating
  ) async throws -> Handshaking {
    let origin = try await ScriptedOrigin.start(tls: tls) { _ in .ok("hello") }
    var result = try await with(origin.url("/", host: host), under: evaluator)
    result.requests = origin.requests.count
    result.handshakes = origin.counters.handshakes
    await origin.stop()
    return result
  }

  static func with(
    _ url: URL, under evaluator: any ServerTrustEvaluating, as identity: ClientIdentity? = nil
  ) async throws -> Handshaking {
    let transport = try CurlTransport()
    var settings = ExchangeSettings()
    settings.serverTrust = evaluator
    settings.clientIdentity = identity
    var result = Handshaking(outcome: .accepted)
    let begin = ContinuousClock.now
    do {
      let response = try await transport.send(Request(.get, url), in: Exchange(settings))
      result.duration = begin.duration(to: .now)
      _ = try await response.body.collect(upTo: 100_000)
    } catch let error as NetworkError {
      result.duration = begin.duration(to: .now)
      result.error = error.details.trust
      result.outcome = error.details.trust.map { .refused($0.reason) } ?? .other(error.kind.rawValue)
    }
    await transport.shutdown()
    return result
  }
}

extension TestCertificate {
  /// As Curlew's own type.
  var certificate: Certificate {
    get throws { try Certificate(der: Data(der)) }
  }
}

extension SecurityPolicy.Settings {
  /// These settings, changed by a closure.
  static func with(_ change: (inout Self) throws -> Void) rethrows -> Self {
    var settings = Self()
    try change(&settings)
    return settings
  }
}
