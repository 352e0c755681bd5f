import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Locations byte for byte, over sockets: where the next request goes, or why none is sent.
@Suite(.timeLimit(.minutes(10))) struct RawLocationTests {
  private enum Outcome: Sendable {
    /// The target of the last request.
    case goes(String)
    /// The redirect itself is the response.
    case stays
    case fails(NetworkError.Kind)
  }

  /// `PORT` is the origin's port; each character is the byte of its number (ISO 8859-1).
  private static let locations: [(String, Outcome)] = [
    ("file:///etc/passwd", .fails(.invalidRedirect)), ("ftp://127.0.0.1/x", .fails(.invalidRedirect)),
    ("javascript:alert(1)", .fails(.invalidRedirect)), ("data:text/plain,hi", .fails(.invalidRedirect)),
    ("http:///x", .fails(.invalidRedirect)), ("//", .fails(.invalidRedirect)),
    ("http://u:p@127.0.0.1:PORT/ok", .fails(.invalidRedirect)),
    ("http://127.0.0.1:PORT@evil/ok", .fails(.invalidRedirect)), ("/caf\u{e9}", .goes("/caf%E9")),
    ("/a b", .goes("/a%20b")), ("/caf\u{c3}\u{a9}", .goes("/caf%C3%A9")),
    ("http://127.0.0.1:99999/", .fails(.invalidRedirect)), ("?ok", .goes("/start?ok")), ("", .stays),
    ("HTTP://127.0.0.1:PORT/ok", .goes("/ok")), ("\\\\127.0.0.1/ok", .fails(.invalidRedirect)),
    ("http:/ok", .fails(.invalidRedirect)), ("http:ok", .fails(.invalidRedirect)),
    ("//127.0.0.1:PORT/ok", .goes("/ok")), ("/ok\r\nLocation: /cut", .fails(.invalidRedirect)),
    ("/ok\r\nLocation: /ok", .goes("/ok")),
    ("/" + String(repeating: "a", count: 70_000), .fails(.invalidRedirect)), ("http://127.1:PORT/ok", .goes("/ok")),
    ("http://0x7f000001:PORT/ok", .goes("/ok")), ("http://localhost:PORT/ok", .goes("/ok")),
    ("http://[::ffff:127.0.0.1]:PORT/ok", .goes("/ok")), ("/ok#frag", .goes("/ok")), ("/../../ok", .goes("/ok")),
    ("gopher://127.0.0.1:70/_x", .fails(.invalidRedirect)),
    ("unix:/tmp/x", .fails(.invalidRedirect)), ("http://127.0.0.1:PORT", .goes("/")),
    ("/q?a[]=1&b={x}|y^z`", .goes("/q?a%5B%5D=1&b=%7Bx%7D%7Cy%5Ez%60")), ("/ok\u{7f}", .fails(.invalidRedirect)),
    ("/ok\t", .goes("/ok")), ("/start", .fails(.tooManyRedirects)), ("#x", .fails(.tooManyRedirects)),
    ("%2f%2fevil", .goes("/%2f%2fevil")), ("/%", .goes("/%25")), ("///evil.test/x", .fails(.invalidRedirect)),
  ]

  @Test func `a Location goes to one place that every parser sees, or nowhere`() async throws {
    for (location, outcome) in Self.locations {
      let origin = try await ScriptedOrigin.start { request in
        guard request.path == "/start", request.query == nil else { return .ok("end") }
        let text = location.replacing("PORT", with: request.authorityPort)
        let head = "HTTP/1.1 302 Found\r\nLocation: \(text)\r\nContent-Length: 0\r\n\r\n"
        return OriginReply(.raw(head.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }))
      }
      let transport = try CurlTransport()
      let loader = Loader(transport, chain: InterceptorChain(redirect: Redirect()))
      do {
        let response = try await loader.load(Request(.get, origin.url("/start")))
        _ = try await response.body.collect(upTo: 100)
        let target = origin.requests.last.map { $0.path + ($0.query.map { "?" + $0 } ?? "") }
        switch outcome {
        case .goes(let expected): #expect(target == expected && response.head.status == .ok, "\(location.prefix(80))")
        case .stays: #expect(response.head.status == .found, "\(location.prefix(80))")
        case .fails: Issue.record("\(location.prefix(80)) went to \(target ?? "")")
        }
      } catch let error as NetworkError {
        if case .fails(let kind) = outcome {
          #expect(error.kind == kind, "\(location.prefix(80)): \(error)")
        } else {
          Issue.record("\(location.prefix(80)): \(error)")
        }
      }
      await transport.shutdown()
      await origin.stop()
    }
  }
}

extension OriginRequest {
  /// The port in `Host`.
  fileprivate var authorityPort: String { fields["Host"].map { String($0.split(separator: ":").last ?? "") } ?? "" }
}
