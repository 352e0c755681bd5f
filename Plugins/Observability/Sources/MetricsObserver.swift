#if Observability
public import CoreMetrics
public import CurlewCore
import FoundationEssentials
import HTTPTypes
import Synchronization

/// Records metrics of HTTP clients with swift-metrics, under the names of OpenTelemetry's semantic conventions.
///
/// * `http.client.request.duration`: a timer for each sending, shown in seconds
/// * `http.client.request.body.size`, `http.client.response.body.size`: recorders, in bytes without framing and before decoding
/// * `http.client.active_requests`: a meter of the sendings in flight
///
/// The dimensions are the method (`_OTHER` for unknown ones), the server's address and port, the scheme, the status, the HTTP version and
/// `error.type`. No URL, field or body is among them. An app that calls any number of servers has as many dimensions.
public final class MetricsObserver: EventObserver {
  private let factory: any MetricsFactory
  private let sendings = Mutex<[Exchange.ID: [Sending]]>([:])

  /// A sending that was not recorded yet.
  private struct Sending {
    let attempt: Int
    let hop: Int
    let dimensions: [(String, String)]
    var head: ResponseHead?
    /// Set when it has ended; the event after that tells whether it failed.
    var metrics: ExchangeMetrics?
  }

  /// Creates an observer.
  ///
  /// - Parameter factory: Where metrics are recorded; the one of `MetricsSystem` by default.
  public init(factory: any MetricsFactory = MetricsSystem.factory) { self.factory = factory }

  /// Records one event.
  public func observe(_ event: ExchangeEvent) {
    switch event.kind {
    case .sending(let request):
      record(event, error: nil)
      let dimensions = HTTPAttributes.dimensions(of: request)
      let sending = Sending(attempt: event.attempt, hop: event.hop, dimensions: dimensions)
      sendings.withLock { $0[event.exchange, default: []].append(sending) }
      active(dimensions).increment()
    case .responded(let head): change(event) { $0.head = head }
    case .measured(let metrics): change(event) { $0.metrics = metrics }
    case .resending(let error): record(event, error: error)
    case .retrying(_, _, let error): record(event, error: error)
    case .finished(.failure(let error), _): record(event, error: error, isLast: true)
    case .finished(.cancelled, _): record(event, error: CancellationError(), isLast: true)
    case .finished: record(event, error: nil, isLast: true)
    default: break
    }
  }

  /// Changes the newest sending of the event's attempt and hop, unless that has ended.
  private func change(_ event: ExchangeEvent, _ change: (inout Sending) -> Void) {
    sendings.withLock { sendings in
      guard var all = sendings[event.exchange],
        let index = all.lastIndex(where: { $0.attempt == event.attempt && $0.hop == event.hop }),
        all[index].metrics == nil
      else { return }
      change(&all[index])
      sendings[event.exchange] = all
    }
  }

  /// Records the sendings that have ended; at the end of the request, all.
  private func record(_ event: ExchangeEvent, error: (any Error)?, isLast: Bool = false) {
    let ended = sendings.withLock { sendings -> [Sending] in
      guard let all = sendings[event.exchange] else { return [] }
      let rest = isLast ? [] : all.filter { $0.metrics == nil }
      sendings[event.exchange] = rest.isEmpty ? nil : rest
      return isLast ? all : all.filter { $0.metrics != nil }
    }
    for (index, sending) in ended.enumerated() { record(sending, index == ended.count - 1 ? error : nil) }
  }

  private func record(_ sending: Sending, _ error: (any Error)?) {
    active(sending.dimensions).decrement()
    guard let metrics = sending.metrics else { return }
    var dimensions = sending.dimensions
    var errorType = error.map { HTTPAttributes.type(of: $0) }
    if let head = sending.head {
      dimensions.append((HTTPAttributes.status, String(head.status.code)))
      errorType = errorType ?? HTTPAttributes.errorType(of: head.status.code)
    }
    if let version = metrics.version {
      dimensions.append((HTTPAttributes.protocolVersion, HTTPAttributes.number(of: version)))
    }
    if let errorType { dimensions.append((HTTPAttributes.errorType, errorType)) }
    if let total = metrics.phases.total {
      let timer = Timer(
        label: "http.client.request.duration", dimensions: dimensions, preferredDisplayUnit: .seconds, factory: factory)
      let (seconds, attoseconds) = min(max(total, .zero), .seconds(1 << 31)).components
      timer.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
    recorder("http.client.request.body.size", dimensions).record(metrics.bytesSent)
    recorder("http.client.response.body.size", dimensions).record(metrics.bytesReceived)
  }

  private func active(_ dimensions: [(String, String)]) -> Meter {
    Meter(label: "http.client.active_requests", dimensions: dimensions, factory: factory)
  }

  private func recorder(_ label: String, _ dimensions: [(String, String)]) -> Recorder {
    Recorder(label: label, dimensions: dimensions, aggregate: true, factory: factory)
  }
}
#endif
