import CurlewCore
import HTTPTypes

/// Prints every event on standard error, without secrets.
struct TraceObserver: EventObserver {
  private let start = ContinuousClock.now

  func observe(_ event: ExchangeEvent) {
    let time = DecimalText.of(start.duration(to: event.instant).inSeconds, digits: 3)
    StandardError.write("[\(event.exchange).\(event.attempt).\(event.hop) +\(time)] \(Self.words(event.kind))")
  }

  private static func words(_ kind: ExchangeEvent.Kind) -> String {
    switch kind {
    case .started(let request): "started \(request)"
    case .sending(let request): "sending \(request)\(fields(request.headerFields))"
    case .connected(let reused): reused ? "connected, re-used" : "connected"
    case .informational(let head): "informational \(head.status.code)\(fields(head.headerFields))"
    case .sent(let bytes, let expected): "sent \(bytes)\(of(expected)) bytes"
    case .responded(let head): "responded \(head.status.code)\(fields(head.headerFields))"
    case .received(let bytes, let expected): "received \(bytes)\(of(expected)) bytes"
    case .redirecting(let request, let head): "redirecting, \(head.status.code), to \(request)"
    case .challenged(let challenge):
      "challenged by \(challenge.protectionSpace.origin), \(challenge.protectionSpace.scheme)"
    case .resending(let error): "sending again after: \(error)"
    case .retrying(let attempt, let wait, _): "attempt \(attempt) after \(wait)"
    case .paused: "paused"
    case .resumed: "resumed"
    case .measured(let metrics): "measured \(phases(metrics))"
    case .finished(.success, _): "finished"
    case .finished(.failure(let error), _): "failed: \(error)"
    case .finished(.cancelled, _): "cancelled"
    }
  }

  private static func of(_ expected: Int64?) -> String { expected.map { " of \($0)" } ?? "" }

  private static func fields(_ fields: HTTPFields) -> String {
    fields.map { "\n    \($0.name.rawName): \($0.value)" }.joined()
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
