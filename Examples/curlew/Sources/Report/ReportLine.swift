import CurlewCore
import CurlewJSON
import FoundationEssentials
import HTTPTypes

/// One line of a report file: a JSON object about one URL.
///
/// Unknown members are omitted.
struct ReportLine {
  /// The line, without its end.
  let text: String

  /// Creates the line of a URL that was not fetched.
  init(url: String, failure: FetchFailure) {
    text = JSONValue.object([
      "url": .string(FetchFailure.withoutSecrets(url)), "bytes": JSONValue(integer: 0),
      "error": .object(Self.object(failure)),
    ]).text()
  }

  /// Creates the line of a URL that was fetched.
  init(result: FetchResult) {
    var line = JSONObject()
    line["url"] = .string(FetchFailure.withoutSecrets(result.fetch.url))
    line["finalURL"] = (result.head?.url.absoluteString).map(JSONValue.string)
    line["status"] = (result.head?.status.code).map { JSONValue(integer: Int64($0)) }
    line["protocol"] = (result.head?.version?.rawValue).map(JSONValue.string)
    line["bytes"] = JSONValue(integer: result.bytes)
    line["bytesReceived"] = JSONValue(integer: result.metrics.reduce(0) { $0 + $1.bytesReceived })
    line["sha256"] = result.digest.map(JSONValue.string)
    line["file"] = result.file.map(JSONValue.string)
    line["attempts"] = JSONValue(integer: Int64(result.attempts))
    line["resumedFrom"] = result.resumedFrom.map(JSONValue.init(integer:))
    line["fromCache"] = result.head.map { .bool($0.source != .network) }
    line["redirects"] = JSONValue(integer: Int64(result.redirects))
    line["seconds"] = JSONValue(seconds: result.duration)
    line["metrics"] = result.metrics.last.map { .object(Self.object($0)) }
    line["error"] = result.failure.map { .object(Self.object($0)) }
    text = JSONValue.object(line).text()
  }

  private static func object(_ metrics: ExchangeMetrics) -> JSONObject {
    var object = JSONObject()
    let phases = metrics.phases
    object["queue"] = phases.queue.map(JSONValue.init(seconds:))
    object["lookup"] = phases.lookup.map(JSONValue.init(seconds:))
    object["connect"] = phases.connect.map(JSONValue.init(seconds:))
    object["tls"] = phases.tls.map(JSONValue.init(seconds:))
    object["firstByte"] = phases.firstByte.map(JSONValue.init(seconds:))
    object["transfer"] = phases.transfer.map(JSONValue.init(seconds:))
    object["total"] = phases.total.map(JSONValue.init(seconds:))
    object["reused"] = metrics.connectionReused.map(JSONValue.bool)
    return object
  }

  private static func object(_ failure: FetchFailure) -> JSONObject {
    var object: JSONObject = [
      "kind": .string(failure.kind), "stage": .string(failure.stage.rawValue), "message": .string(failure.message),
    ]
    object["maybeProcessed"] = failure.maybeProcessed.map(JSONValue.bool)
    return object
  }
}

extension JSONValue {
  init(integer: Int64) { self = .number(JSONNumber(integer)) }

  /// Returns seconds with microseconds.
  init(seconds duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let microseconds = Double(attoseconds / 1_000_000_000_000)
    self = JSONNumber(Double(seconds) + microseconds / 1_000_000).map(JSONValue.number) ?? .null
  }
}
