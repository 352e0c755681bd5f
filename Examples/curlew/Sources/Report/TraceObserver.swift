import CurlewCore
import HTTPTypes

/// Prints every event on standard error.
struct TraceObserver: EventObserver {
  /// Whether secrets are printed too.
  let wantsSecrets: Bool
  private let start = ContinuousClock.now

  func observe(_ event: ExchangeEvent) {
    let time = DecimalText.of(start.duration(to: event.instant).inSeconds, digits: 3)
    StandardError.write("[\(event.exchange).\(event.attempt).\(event.hop) +\(time)] \(Self.words(event.kind))")
  }

  private static func words(_ kind: ExchangeEvent.Kind) -> String {
    switch kind {
    case .started(let request): "started \(request)"
    case .sending(let request): "sending \(request)\(host(of: request))\(fields(request.headerFields))"
    case .connected(let reused): reused ? "connected, re-used" : "connected"
    case .informational(let head): "informational \(head.status.code)\(fields(head.headerFields))"
    case .sent(let bytes, let expected): "sent \(bytes)\(of(expected)) bytes"
    case .responded(let head):
      "responded \(head.version.map { "\($0.name) " } ?? "")\(head.status.code)\(fields(head.headerFields))"
    case .received(let bytes, let expected): "received \(bytes)\(of(expected)) bytes"
    case .redirecting(let request, let head): "redirecting, \(head.status.code), to \(request)"
    case .challenged(let challenge):
      "challenged by \(challenge.protectionSpace.origin), \(challenge.protectionSpace.scheme)\(realm(of: challenge))"
    case .resending(let error): "sending again after: \(error)"
    case .retrying(let attempt, let wait, _): "attempt \(attempt) after \(wait)"
    case .paused: "paused"
    case .resumed: "resumed"
    case .measured(let metrics): "measured \(connection(metrics))\(phases(metrics))"
    case .finished(.success, _): "finished"
    // The tool's own sentence about it follows.
    case .finished(.failure(let error), _): "failed, \(FetchFailure(error).kind)"
    case .finished(.cancelled, _): "cancelled"
    }
  }

  private static func realm(of challenge: Challenge) -> String {
    challenge.protectionSpace.realm.map { ", realm \"\($0)\"" } ?? ""
  }

  private static func of(_ expected: Int64?) -> String { expected.map { " of \($0)" } ?? "" }

  private static func fields(_ fields: HTTPFields) -> String {
    fields.map { "\n    \($0.name.rawName): \($0.value)" }.joined()
  }

  /// The Host field, which the transport sends before the others (RFC 9112 §3.2; `:authority` in HTTP/2).
  private static func host(of request: Request) -> String {
    guard !request.headerFields.contains(where: { $0.name.canonicalName == "host" }),
      let origin = try? Origin(request.url)
    else { return "" }
    let isDefault = origin.port == (origin.scheme == .https ? 443 : 80)
    return "\n    Host: \(origin.urlHost)\(isDefault ? "" : ":\(origin.port)")"
  }

  /// The versions of HTTP and TLS and the addresses of the connection, as far as the transport knows them.
  private static func connection(_ metrics: ExchangeMetrics) -> String {
    let ends = [metrics.localAddress, metrics.remoteAddress].compactMap { $0 }.joined(separator: " to ")
    let parts = [metrics.version?.name ?? "", metrics.tlsVersion ?? "", ends]
    return parts.filter { !$0.isEmpty }.map { $0 + ", " }.joined()
  }

  private static func phases(_ metrics: ExchangeMetrics) -> String {
    let named: [(String, Duration?)] = [
      ("queue", metrics.phases.queue), ("lookup", metrics.phases.lookup), ("connect", metrics.phases.connect),
      ("tls", metrics.phases.tls), ("firstByte", metrics.phases.firstByte), ("transfer", metrics.phases.transfer),
      ("total", metrics.phases.total),
    ]
    return named.compactMap { name, phase in
      phase.map { "\(name) \(DecimalText.of($0.inSeconds * 1000, digits: 1)) ms" }
    }.joined(separator: ", ")
  }
}
