import CurlewCore
import FoundationEssentials
import HTTPTypes
import Synchronization

/// Prints every event on standard error, in the form that curl's users know.
///
/// A request's head has `> ` before each line, a response's `< `, and everything else `* ` and the time since the start. Secrets are
/// replaced unless they are asked for.
final class TraceObserver: EventObserver {
  /// One request on its way to a server: one attempt, one hop.
  private struct Sending: Hashable {
    let exchange: Exchange.ID
    let attempt: Int
    let hop: Int
  }

  /// What is known of a request on its way.
  private struct Progress {
    let head: [String]
    let origin: Origin?
    /// Whether the head was printed since the connection was made.
    var isShown = false
    /// When a number of bytes was last printed.
    var counted: ContinuousClock.Instant
  }

  private struct State {
    var sendings: [Sending: Progress] = [:]
    /// The origins with which HTTP/2 was negotiated.
    var http2: Set<Origin> = []
  }

  /// The events come with secrets, and with the body of the request, whose length is printed.
  let wantsSecrets = true
  private let showsSecrets: Bool
  private let isAlone: Bool
  private let proxy: @Sendable (URL) -> Proxy?
  private let write: @Sendable (String) -> Void
  private let start = ContinuousClock.now
  private let state = Mutex(State())

  /// The shortest time between two lines with the bytes of one transfer.
  private static let interval = Duration.seconds(5)

  /// - Parameters:
  ///   - showsSecrets: Whether secrets are printed too.
  ///   - isAlone: Whether the run makes one request, whose lines need no number.
  ///   - proxy: Returns the proxy of a URL.
  ///   - write: Takes the lines of an event, without the last line feed.
  init(
    showsSecrets: Bool, isAlone: Bool, proxy: @escaping @Sendable (URL) -> Proxy? = { _ in nil },
    write: @escaping @Sendable (String) -> Void = StandardError.write
  ) {
    self.showsSecrets = showsSecrets
    self.isAlone = isAlone
    self.proxy = proxy
    self.write = write
  }

  func observe(_ event: ExchangeEvent) {
    let sending = Sending(exchange: event.exchange, attempt: event.attempt, hop: event.hop)
    let time = DecimalText.of(start.duration(to: event.instant).inSeconds, digits: 3)
    let shown = showsSecrets ? event : event.redacted(by: .standard)
    let lines = state.withLock { state -> [String] in
      if case .sending(let request) = event.kind {
        state.sendings[sending] = Progress(
          head: Self.head(of: request, redaction: showsSecrets ? nil : .standard, through: proxy(request.url)),
          origin: try? Origin(request.url), counted: event.instant)
      }
      return self.lines(shown, of: sending, in: &state, after: time)
    }
    guard !lines.isEmpty else { return }
    let mark = isAlone ? "" : "[\(event.exchange)] "
    write(lines.map { mark + Self.visible($0) }.joined(separator: "\n"))
  }

  /// Prints the certificate that a server shows.
  func show(_ certificate: [String]) {
    let time = DecimalText.of(start.duration(to: .now).inSeconds, digits: 3)
    write(certificate.enumerated().map { $0 == 0 ? "* \(time) s: \($1)" : "*   \($1)" }.joined(separator: "\n"))
  }

  private func lines(
    _ event: ExchangeEvent, of sending: Sending, in state: inout State, after time: String
  ) -> [String] {
    func note(_ text: String) -> [String] { ["* \(time) s: \(text)"] }
    /// Returns the head of the request, unless it stands above already.
    func head() -> [String] {
      guard let progress = state.sendings[sending], !progress.isShown else { return [] }
      state.sendings[sending]?.isShown = true
      let version = progress.origin.map { state.http2.contains($0) } == true ? "HTTP/2" : "HTTP/1.1"
      return progress.head.enumerated().map { $0 == 0 ? "> \($1) \(version)" : "> \($1)" } + [">"]
    }
    switch event.kind {
    case .started(let request): return note("started \(request)")
    case .sending(let request):
      let way = proxy(request.url).map { ", through \($0)" } ?? ""
      return note("sending to \((try? Origin(request.url)).map { "\($0.urlHost):\($0.port)" } ?? "?")\(way)")
    case .secured(let version, let suite, let name):
      if name == "h2", let origin = state.sendings[sending]?.origin { state.http2.insert(origin) }
      return note("\(version), \(suite), \(name.map { "ALPN \($0)" } ?? "no ALPN")")
    case .connected(let reused):
      // After a lost connection the request is sent again.
      state.sendings[sending]?.isShown = false
      return note(reused ? "connected, reused" : "connected") + head()
    case .informational(let response): return head() + Self.head(of: response)
    case .responded(let response): return head() + Self.head(of: response)
    case .sent(let bytes, let expected), .received(let bytes, let expected):
      // The end of the sending tells the last number.
      guard let last = state.sendings[sending]?.counted, last.duration(to: event.instant) >= Self.interval else {
        return []
      }
      state.sendings[sending]?.counted = event.instant
      let deed = if case .sent = event.kind { "sent" } else { "received" }
      return note("\(deed) \(bytes)\(expected.map { " of \($0)" } ?? "") bytes")
    case .redirecting(let request, let response): return note("redirected (\(response.status.code)) to \(request)")
    case .challenged(let challenge):
      let space = challenge.protectionSpace
      let realm = space.realm.map { ", realm \"\($0)\"" } ?? ""
      return note("challenged by \(space.origin), \(space.scheme)\(realm)")
    case .resending(let error): return note("sending again after: \(error)")
    case .retrying(let attempt, let wait, let error):
      let reason = error.map { ", after: \(FetchFailure($0).message)" } ?? ""
      return note(RetryNotice.text(of: attempt, after: wait) + reason)
    case .paused: return note("paused")
    case .resumed: return note("resumed")
    case .measured(let metrics): return note(Self.text(of: metrics))
    case .finished(let outcome, _):
      state.sendings = state.sendings.filter { $0.key.exchange != sending.exchange }
      switch outcome {
      case .success: return note("finished")
      // The tool's own sentence about it follows.
      case .failure(let error): return note("failed, \(FetchFailure(error).kind)")
      case .cancelled: return note("cancelled")
      }
    }
  }

  /// Returns the lines of a request's head, without the version.
  private static func head(of given: Request, redaction: Redaction?, through proxy: Proxy?) -> [String] {
    let request = redaction?.redacted(given) ?? given
    let url = request.url
    let isAbsolute = proxy?.kind == .http && url.scheme?.lowercased() == "http"
    let whole = (redaction?.redacted(given.url) ?? url.absoluteString).prefix { $0 != "#" }
    // RFC 9112 §3.2: the path and the query, or the whole URL for a proxy.
    let authority = whole.firstRange(of: "://").map { whole[$0.upperBound...] } ?? whole[...]
    let rest = authority.drop { $0 != "/" && $0 != "?" }
    let target = isAbsolute ? whole[...] : rest.hasPrefix("/") ? rest : "/" + rest
    var lines = ["\(request.method.rawValue) \(target)"]
    // The transport sends it before the others (`:authority` in HTTP/2).
    if !request.headerFields.contains(where: { $0.name.canonicalName == "host" }), let origin = try? Origin(url) {
      let isDefault = origin.port == (origin.scheme == .https ? 443 : 80)
      lines.append("Host: \(origin.urlHost)\(isDefault ? "" : ":\(origin.port)")")
    }
    lines += request.headerFields.map { "\($0.name.rawName): \($0.value)" }
    // The transport adds the framing (RFC 9112 §6); it always tells the length of these methods' content.
    let length = given.body.length
    if length == nil {
      lines.append("Transfer-Encoding: chunked")
    } else if let length, length > 0 || [.post, .put].contains(request.method),
      request.headerFields[.contentLength] == nil
    {
      lines.append("Content-Length: \(length)")
    }
    return lines
  }

  private static func head(of response: ResponseHead) -> [String] {
    let line = "\(response.version?.name ?? "HTTP") \(response.status.code) \(response.status.reasonPhrase)"
    let fields = response.headerFields.map { "< \($0.name.rawName): \($0.value)" }
    return ["< " + (line.hasSuffix(" ") ? String(line.dropLast()) : line)] + fields + ["<"]
  }

  /// Returns the bytes, the addresses and the phases, as far as the transport knows them.
  private static func text(of metrics: ExchangeMetrics) -> String {
    let moved = [("sent", metrics.bytesSent), ("received", metrics.bytesReceived)].compactMap { deed, bytes in
      bytes > 0 ? "\(deed) \(bytes) bytes" : nil
    }
    let ends = [metrics.localAddress, metrics.remoteAddress].compactMap { $0 }.joined(separator: " to ")
    let named: [(String, Duration?)] = [
      ("queue", metrics.phases.queue), ("lookup", metrics.phases.lookup), ("connect", metrics.phases.connect),
      ("tls", metrics.phases.tls), ("first byte", metrics.phases.firstByte), ("transfer", metrics.phases.transfer),
      ("total", metrics.phases.total),
    ]
    let phases = named.compactMap { name, phase in
      phase.map { "\(name) \(DecimalText.of($0.inSeconds * 1000, digits: 1)) ms" }
    }
    return (moved + [ends].filter { !$0.isEmpty } + phases).joined(separator: ", ")
  }

  /// Returns a line without control characters, with which a server could write over the terminal.
  private static func visible(_ line: String) -> String {
    guard line.unicodeScalars.contains(where: { $0.properties.generalCategory == .control && $0 != "\t" }) else {
      return line
    }
    return String(
      String.UnicodeScalarView(
        line.unicodeScalars.map { $0.properties.generalCategory == .control && $0 != "\t" ? "\u{FFFD}" : $0 }))
  }
}
