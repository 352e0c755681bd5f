import CLibcurl
import CurlewCore
import FoundationEssentials
import HTTPTypes

/// All that libcurl is told of one request, worked out on the caller's task before the loop hears of it.
///
/// What cannot be sent is refused here.
final class SendPlan: Sendable {
  let request: Request
  let origin: Origin
  /// The URL in the one form that cannot be read differently.
  let target: String
  /// The request target where libcurl would write another; nil leaves it to libcurl.
  let exactTarget: String?
  let headers: HeaderList
  let priority: Int8
  let delivery: ResponseDelivery
  let decodesContent: Bool
  let expectsContinue: Bool
  let connectTimeout: Int
  /// Nanoseconds; nil is none.
  let idleTimeout: UInt64?
  /// Milliseconds; 0 is none.
  let totalTimeout: Int
  let proxy: Proxy?
  let connectTo: String?
  /// Who decides on trust; nil for plain `http`.
  let trust: TrustLocks.Terms?
  let isFresh: Bool

  init(
    _ request: Request, in exchange: Exchange, capabilities: TransportCapabilities,
    configuration: CurlTransport.Configuration
  ) throws(NetworkError) {
    let options = request.options
    origin = try RequestCheck.origin(of: request)
    target = try RequestTarget.text(of: request, origin)
    try RequestCheck.validate(request, in: exchange, for: capabilities)
    // Newer versions drop the question mark of an empty query; a proxy is given the whole URL.
    let isForwarded = exchange.settings.proxy?.kind == .http && origin.scheme == .http
    exactTarget =
      !target.hasSuffix("?") ? nil : isForwarded ? target : request.place.target.map { String($0) }
    self.request = request
    priority = options.priority?.rawValue ?? 0
    delivery = options.delivery ?? .streamed
    expectsContinue =
      options.expectsContinue ?? (request.headerFields[.expect]?.lowercased() == "100-continue")
    decodesContent =
      (options.decodesContent ?? true) && request.headerFields[.acceptEncoding] == nil
      && request.headerFields[.range] == nil
    headers = HeaderList(
      request, expectsContinue: expectsContinue,
      acceptEncoding: decodesContent ? CurlLibrary.loaded.acceptEncoding : nil)
    let timeouts = options.timeouts.over(configuration.timeouts)
    connectTimeout = Self.milliseconds(timeouts.connect) ?? 0
    idleTimeout = Self.milliseconds(timeouts.idle).map { UInt64($0) * 1_000_000 }
    var total = Self.milliseconds(timeouts.total) ?? 0
    if let deadline = exchange.settings.deadline {
      let left = deadline - exchange.settings.clock.now
      guard left > .zero, let milliseconds = Self.milliseconds(left) else {
        throw NetworkError(.timedOut, stage: .preparing, message: "The deadline has passed.")
      }
      total = total == 0 ? milliseconds : min(total, milliseconds)
    }
    totalTimeout = total
    proxy = try RequestCheck.proxy(of: exchange)
    connectTo = Self.connectTo(options.addressOverrides, origin)
    isFresh = exchange.requiresFreshConnection
    trust = try TrustLocks.Terms(
      origin, evaluator: exchange.settings.serverTrust, identity: exchange.settings.clientIdentity,
      defaultEvaluator: configuration.defaultServerTrust, clock: exchange.settings.clock)
  }

  /// Whole milliseconds, at least 1; nil when there is no such limit.
  private static func milliseconds(_ duration: Duration?) -> Int? {
    guard let duration else { return nil }
    guard duration > .zero else { return 1 }
    let (seconds, attoseconds) = duration.components
    let limit: Int64 = 1_000_000
    guard seconds < limit else { return Int(limit) * 1000 }
    return max(1, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
  }

  private static func connectTo(_ overrides: [AddressOverride], _ origin: Origin) -> String? {
    guard let match = overrides.first(where: { $0.matches(origin) }) else { return nil }
    let address = match.address.utf8.contains(UInt8(ascii: ":")) ? "[\(match.address)]" : match.address
    return "\(origin.urlHost):\(origin.port):\(address):\(match.addressPort ?? origin.port)"
  }
}

/// The request's header fields as libcurl's list; freed with the last reference.
// Safe because the list is never changed once it was made.
final class HeaderList: @unchecked Sendable {
  let list: UnsafeMutablePointer<curl_slist>?

  init(_ request: Request, expectsContinue: Bool, acceptEncoding: String?) {
    var list: UnsafeMutablePointer<curl_slist>?
    var line: [CChar] = []
    func append(_ text: String) { list = curl_slist_append(list, text) }
    for field in request.headerFields {
      // libcurl writes the length; `Expect` is an option.
      if field.name == .contentLength || field.name == .expect { continue }
      line.removeAll(keepingCapacity: true)
      line.append(contentsOf: field.name.rawName.utf8.lazy.map { CChar(bitPattern: $0) })
      field.withUnsafeBytesOfValue { value in
        if value.isEmpty {
          // How libcurl is told to send a field without a value.
          line.append(CChar(bitPattern: UInt8(ascii: ";")))
        } else {
          line.append(CChar(bitPattern: UInt8(ascii: ":")))
          line.append(CChar(bitPattern: UInt8(ascii: " ")))
          line.append(contentsOf: value.lazy.map { CChar(bitPattern: $0) })
        }
      }
      line.append(0)
      list = curl_slist_append(list, line)
    }
    // libcurl would write it too, at ten times the cost.
    if let acceptEncoding { append(acceptEncoding) }
    // What libcurl would add of its own.
    if request.headerFields[.accept] == nil { append("Accept:") }
    if request.headerFields[.contentType] == nil, !request.body.isEmpty { append("Content-Type:") }
    if expectsContinue {
      append("Expect: 100-continue")
    } else if !request.body.isEmpty {
      append("Expect:")
    }
    self.list = list
  }

  deinit { curl_slist_free_all(list) }
}
