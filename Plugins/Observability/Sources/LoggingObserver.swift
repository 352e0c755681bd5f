#if Observability
public import CurlewCore
import FoundationEssentials
import HTTPTypes
public import Logging
import Synchronization

/// Logs requests with swift-log: one line when a request has ended, and at the level `debug` what happens on the way.
///
/// The metadata has the names of OpenTelemetry's semantic conventions. Events are redacted by the exchange's `Redaction` before they arrive
/// here; bodies and header fields are never logged.
///
/// ```swift
/// configuration.settings.observers.append(LoggingObserver(Logger(label: "http")))
/// ```
public final class LoggingObserver: EventObserver {
  private let logger: Logger
  private let level: Logger.Level
  private let failureLevel: Logger.Level
  private let requests = Mutex<[Exchange.ID: Entry]>([:])

  /// What is known of a request that has not ended.
  private struct Entry {
    var request: Request
    var started: ContinuousClock.Instant
    var sendings = 0
    var head: ResponseHead?
  }

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - level: The level of a request that ended with a response, whatever its status.
  ///   - failureLevel: The level of a request that ended with an error.
  public init(_ logger: Logger, level: Logger.Level = .info, failureLevel: Logger.Level = .error) {
    self.logger = logger
    self.level = level
    self.failureLevel = failureLevel
  }

  /// Logs one event.
  public func observe(_ event: ExchangeEvent) {
    switch event.kind {
    case .started(let request):
      requests.withLock { $0[event.exchange] = Entry(request: request, started: event.instant) }
    case .sending(let request):
      let metadata = change(event) { entry in
        entry.request = request
        entry.head = nil
        entry.sendings += 1
      }
      logger.debug("sending", metadata: metadata)
    case .responded(let head):
      let metadata = change(event) { $0.head = head }
      logger.debug("responded", metadata: metadata)
    case .redirecting: logger.debug("redirecting", metadata: change(event) { _ in })
    case .resending(let error): logger.debug("resending", metadata: change(event) { _ in }.adding(error))
    case .retrying(_, _, let error): logger.debug("retrying", metadata: change(event) { _ in }.adding(error))
    case .finished(let outcome, let metrics): finish(event, outcome, metrics)
    default: break
    }
  }

  /// Changes what is known of a request, and returns it as metadata.
  private func change(_ event: ExchangeEvent, _ change: (inout Entry) -> Void) -> Logger.Metadata {
    let entry = requests.withLock { requests -> Entry? in
      guard var entry = requests[event.exchange] else { return nil }
      change(&entry)
      requests[event.exchange] = entry
      return entry
    }
    return metadata(event, entry)
  }

  private func finish(_ event: ExchangeEvent, _ outcome: ExchangeEvent.Outcome, _ metrics: [ExchangeMetrics]) {
    let entry = requests.withLock { $0.removeValue(forKey: event.exchange) }
    var metadata = metadata(event, entry)
    if let entry {
      let duration = entry.started.duration(to: event.instant)
      metadata["duration"] = "\(duration / .seconds(1))"
    }
    metadata[HTTPAttributes.requestBodySize] = "\(metrics.last?.bytesSent ?? 0)"
    metadata[HTTPAttributes.responseBodySize] = "\(metrics.last?.bytesReceived ?? 0)"
    if let address = metrics.last?.remoteAddress { metadata[HTTPAttributes.peerAddress] = "\(address)" }
    switch outcome {
    case .success: logger.log(level: level, "request ended", metadata: metadata)
    case .failure(let error): logger.log(level: failureLevel, "request failed", metadata: metadata.adding(error))
    case .cancelled:
      metadata[HTTPAttributes.errorType] = "cancelled"
      logger.log(level: level, "request cancelled", metadata: metadata)
    }
  }

  private func metadata(_ event: ExchangeEvent, _ entry: Entry?) -> Logger.Metadata {
    var metadata: Logger.Metadata = ["exchange": "\(event.exchange)"]
    guard let entry else { return metadata }
    metadata[HTTPAttributes.method] = "\(entry.request.method.rawValue)"
    metadata[HTTPAttributes.url] = "\(entry.request.url.absoluteString)"
    if entry.sendings > 1 { metadata[HTTPAttributes.resendCount] = "\(entry.sendings - 1)" }
    if let head = entry.head {
      metadata[HTTPAttributes.status] = "\(head.status.code)"
      metadata[HTTPAttributes.errorType] = HTTPAttributes.errorType(of: head.status.code).map { "\($0)" }
      metadata[HTTPAttributes.protocolVersion] = head.version.map { "\(HTTPAttributes.number(of: $0))" }
    }
    return metadata
  }
}

extension Logger.Metadata {
  /// Returns the metadata with an error's type and, for a `NetworkError`, its message, which has no secrets.
  fileprivate func adding(_ error: (any Error)?) -> Logger.Metadata {
    guard let error else { return self }
    var metadata = self
    metadata[HTTPAttributes.errorType] = "\(HTTPAttributes.type(of: error))"
    if let error = error as? NetworkError { metadata["error.message"] = "\(error.message)" }
    return metadata
  }
}
#endif
