import CurlewCore
import CurlewJSON
import FoundationEssentials
import HTTPTypes

/// What the variables of `--write-out` say about a transfer.
struct TransferFacts {
  /// The value of a variable.
  private enum Value {
    case text(String?)
    case number(Int64)
    /// A status, which has three digits.
    case status(Int)
    case seconds(Duration)

    var text: String {
      switch self {
      case .text(let text): text ?? ""
      case .number(let number): String(number)
      case .status(let status): String(repeating: "0", count: max(0, 3 - String(status).count)) + String(status)
      case .seconds(let duration): DecimalText.of(duration.inSeconds, digits: 6)
      }
    }

    var json: JSONValue {
      switch self {
      case .text(let text): text.map(JSONValue.string) ?? .null
      case .number(let number): JSONValue(integer: number)
      case .status(let status): JSONValue(integer: Int64(status))
      case .seconds(let duration): JSONValue(seconds: duration)
      }
    }
  }

  private let result: FetchResult
  /// The requests of the last attempt, redirects before the last.
  private let hops: [ExchangeMetrics]

  init(_ result: FetchResult) {
    self.result = result
    let last = result.metrics.last?.attempt
    hops = result.metrics.filter { $0.attempt == last }
  }

  /// The names of all variables, in order, without those that switch the stream.
  static let names = table.map(\.name) + ["header_json", "json"]

  /// The status with which curl would end.
  var status: Int32 { result.failure.map(CurlStatus.of) ?? 0 }

  /// Returns the text of a variable; nil if it is unknown.
  func text(of name: String) -> String? {
    switch name {
    case "json": JSONValue.object(JSONObject(Self.table.map { ($0.name, $0.value(self).json) })).text()
    case "header_json": headerJSON
    default: Self.table.first { $0.name == name }?.value(self).text
    }
  }

  /// Returns the value of the first field with a name, in any case; nil without one.
  func header(_ name: String) -> String? {
    HTTPField.Name(name).flatMap { name in result.head?.headerFields.first { $0.name == name }?.value }
  }

  private static let table: [(name: String, value: @Sendable (TransferFacts) -> Value)] = [
    ("content_type", { .text($0.header("Content-Type")) }),
    ("errormsg", { .text($0.result.failure.map { FailureLine.clause($0.message) }) }),
    ("exitcode", { .number(Int64($0.status)) }),
    ("filename_effective", { .text($0.result.file) }),
    ("http_code", { .status($0.result.head?.status.code ?? 0) }),
    ("http_version", { .text($0.version) }),
    ("local_ip", { .text(Self.parts(of: $0.hops.last?.localAddress).address) }),
    ("local_port", { .number(Self.parts(of: $0.hops.last?.localAddress).port) }),
    ("method", { .text($0.request.method.rawValue) }),
    ("num_connects", { .number(Int64($0.hops.count { $0.connectionReused == false })) }),
    ("num_headers", { .number(Int64($0.result.head?.headerFields.count ?? 0)) }),
    ("num_redirects", { .number(Int64($0.result.redirects)) }),
    ("num_retries", { .number(Int64($0.result.attempts - 1)) }),
    ("redirect_url", { .text($0.redirectURL) }),
    ("referer", { .text($0.request.headerFields[.referer]) }),
    ("remote_ip", { .text(Self.parts(of: $0.hops.last?.remoteAddress).address) }),
    ("remote_port", { .number(Self.parts(of: $0.hops.last?.remoteAddress).port) }),
    ("response_code", { .status($0.result.head?.status.code ?? 0) }),
    ("scheme", { .text($0.request.url.scheme?.lowercased()) }),
    ("size_download", { .number($0.hops.last?.bytesReceived ?? 0) }),
    ("size_header", { .number($0.hops.reduce(0) { $0 + $1.headerBytesReceived }) }),
    ("size_upload", { .number($0.hops.last?.bytesSent ?? 0) }),
    ("speed_download", { .number($0.rate(of: $0.hops.last?.bytesReceived ?? 0)) }),
    ("speed_upload", { .number($0.rate(of: $0.hops.last?.bytesSent ?? 0)) }),
    // OpenSSL's number for "unspecified".
    ("ssl_verify_result", { .number($0.result.failure?.trust == nil ? 0 : 1) }),
    ("time_appconnect", { .seconds($0.request.url.scheme?.lowercased() == "https" ? $0.time(\.appconnect) : .zero) }),
    ("time_connect", { .seconds($0.time(\.connected)) }),
    ("time_namelookup", { .seconds($0.time(\.lookedUp)) }),
    ("time_pretransfer", { .seconds($0.time(\.appconnect)) }),
    ("time_redirect", { .seconds($0.hops.dropLast().reduce(.zero) { $0 + ($1.phases.total ?? .zero) }) }),
    ("time_starttransfer", { .seconds($0.time(\.started)) }),
    ("time_total", { .seconds($0.total) }),
    ("url", { .text($0.result.fetch.url) }),
    ("url_effective", { .text($0.effectiveURL) }),
    ("urlnum", { .number(Int64($0.result.fetch.index)) }),
  ]

  /// The last request, after redirects.
  private var request: Request { result.lastRequest ?? result.fetch.request }

  private var effectiveURL: String {
    let text = request.url.absoluteString.prefix { $0 != "#" }
    let behindHost = text.firstRange(of: "://").map { text[$0.upperBound...].drop { !"/?".contains($0) } } ?? ""
    // A URL without a path is fetched with one.
    guard !behindHost.hasPrefix("/") else { return String(text) }
    return text[..<behindHost.startIndex] + "/" + behindHost
  }

  private var version: String {
    guard let version = result.head?.version else { return "0" }
    return String(version.name.dropFirst("HTTP/".count))
  }

  /// Where a redirect leads that was not followed.
  private var redirectURL: String? {
    guard let head = result.head, (300..<400).contains(head.status.code), let place = head.headerFields[.location]
    else {
      return nil
    }
    return URL(keepingEscapes: place).flatMap { URL(string: $0.relativeString, relativeTo: head.url) }?.absoluteString
  }

  private var total: Duration {
    max(hops.reduce(.zero) { $0 + ($1.phases.total ?? .zero) }, time(\.started))
  }

  private func rate(of bytes: Int64) -> Int64 {
    let seconds = total.inSeconds
    return seconds > 0 ? Int64(Double(bytes) / seconds) : 0
  }

  /// Returns a time since the start, summed over the redirects as curl does.
  private func time(_ moment: (ExchangeMetrics.Phases) -> Duration) -> Duration {
    hops.reduce(.zero) { $0 + moment($1.phases) }
  }

  private static func parts(of address: String?) -> (address: String?, port: Int64) {
    guard let address, let colon = address.lastIndex(of: ":") else { return (address, 0) }
    let host = address[..<colon].drop { $0 == "[" }
    return (String(host.hasSuffix("]") ? host.dropLast() : host), Int64(address[address.index(after: colon)...]) ?? 0)
  }

  /// The fields of the response as a JSON object, names in small letters, each with its values.
  private var headerJSON: String {
    var object = JSONObject()
    for field in result.head?.headerFields ?? [:] {
      let name = field.name.rawName.lowercased()
      let earlier = object[name]?.arrayValue ?? []
      object[name] = .array(earlier + [.string(field.value)])
    }
    return JSONValue.object(object).text()
  }
}

extension ExchangeMetrics.Phases {
  /// The times since the start at which each phase ended.
  fileprivate var lookedUp: Duration { (queue ?? .zero) + (lookup ?? .zero) }
  fileprivate var connected: Duration { lookedUp + (connect ?? .zero) }
  fileprivate var appconnect: Duration { connected + (tls ?? .zero) }
  fileprivate var started: Duration { appconnect + (firstByte ?? .zero) }
}
