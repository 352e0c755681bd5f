#if Observability
import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Logging
import Synchronization

/// What was logged.
final class LogLines: Sendable {
  struct Line: Sendable {
    var level: Logger.Level
    var message: String
    var metadata: [String: String]
  }

  private let lines = Mutex<[Line]>([])

  var all: [Line] { lines.withLock { $0 } }
  func append(_ line: Line) { lines.withLock { $0.append(line) } }

  /// A logger that writes here.
  var logger: Logger { Logger(label: "test") { _ in RecordingLog(lines: self) } }
}

private struct RecordingLog: LogHandler {
  let lines: LogLines
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  init(lines: LogLines) { self.lines = lines }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let metadata = (event.metadata ?? [:]).mapValues { "\($0)" }
    lines.append(LogLines.Line(level: event.level, message: "\(event.message)", metadata: metadata))
  }
}

/// Sends one request with observers and interceptors for each hop, and reads its body.
///
/// - Returns: The requests that were sent, and the error in which the request ended.
@discardableResult
func exchange(
  _ url: String = "https://example.org:8443/birds?page=2&token=s3cret", method: HTTPRequest.Method = .get,
  observers: [any EventObserver] = [], perHop: [any Interceptor] = [],
  answers: @escaping @Sendable (StubTransport.Asked) throws -> StubAnswer
) async throws -> (sent: [Request], error: (any Error)?) {
  let sent = Mutex<[Request]>([])
  let transport = StubTransport { asked in
    sent.withLock { $0.append(asked.request) }
    return try answers(asked)
  }
  var settings = ExchangeSettings()
  settings.observers = observers
  let loader = Loader(transport, chain: InterceptorChain(redirect: Redirect(), perHop: perHop), settings: settings)
  var failure: (any Error)?
  do {
    let response = try await loader.load(Request(method, url))
    _ = try await response.body.collect(upTo: 1 << 20)
  } catch {
    failure = error
  }
  return (sent.withLock { $0 }, failure)
}

extension StubAnswer {
  /// A redirect to another place.
  static func redirect(to place: String) -> StubAnswer {
    StubAnswer(.found, headerFields: [.location: place])
  }

  /// A failure before there is a head.
  static var lost: StubAnswer {
    .failing(NetworkError(.connectionFailed, stage: .connecting, message: "There is no connection."))
  }
}
#endif
