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
  var requests: Int

  static func with(
    _ identity: TestIdentity, host: String? = nil, under evaluator: any ServerTrustEvaluating
  ) async throws -> Handshaking {
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(identity)) { _ in .ok("hello") }
    let transport = try CurlTransport()
    var settings = ExchangeSettings()
    settings.serverTrust = evaluator
    var result = Handshaking(outcome: .accepted, error: nil, requests: 0)
    do {
      let response = try await transport.send(Request(.get, origin.url("/", host: host)), in: Exchange(settings))
      _ = try await response.body.collect(upTo: 100)
    } catch let error as NetworkError {
      result.error = error.details.trust
      result.outcome = error.details.trust.map { .refused($0.reason) } ?? .other("\(error.kind)")
    }
    await transport.shutdown()
    result.requests = origin.requests.count
    await origin.stop()
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
