import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import CurlewTool

/// What `-v` shows.
@Suite struct TraceTests {
  /// Returns the lines that begin with one of these marks.
  private static func lines(_ text: String, _ marks: Set<Character>) -> [String] {
    text.split(separator: "\n").filter { $0.first.map { marks.contains($0) } == true }.map(String.init)
  }

  @Test func `heads have the marks that curl gives them, and each stands there once`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("body", ["X-Bird": "tern"]) }
    let run = try await ToolRun(["-v", "-d", "a=1", origin.address("/p?q=1#top")])
    #expect(run.output == "body")
    let sent = Self.lines(run.errors, [">"])
    #expect(sent.first == "> POST /p?q=1 HTTP/1.1" && sent.last == ">", "\(run.errors)")
    #expect(sent.contains("> Content-Length: 3") && sent.count { $0.hasPrefix("> Host: ") } == 1)
    #expect(origin.requests.first?["Content-Length"] == "3")
    let received = Self.lines(run.errors, ["<"])
    #expect(received.first == "< HTTP/1.1 200 OK" && received.last == "<" && received.contains("< X-Bird: tern"))
    #expect(run.errors.matches(of: /received 4 bytes/).count == 1, "\(run.errors)")
    #expect(Self.lines(run.errors, [">", "<", "*"]).count == run.errors.split(separator: "\n").count, "\(run.errors)")
    await origin.stop()
  }

  @Test func `TLS is told with version, cipher and the certificate's subject, names, issuer and dates`() async throws {
    let root = try TestIdentity.authority()
    let files = try root.writeFiles()
    defer { files.remove() }
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(try root.issue())) { _ in .ok("body") }
    let run = try await ToolRun(["-v", "--cacert", files.root, origin.address("/")])
    let notes = Self.lines(run.errors, ["*"])
    #expect(notes.contains { $0.contains(/s: TLSv1\.3, TLS_[A-Z0-9_]+,/) }, "\(run.errors)")
    for row in ["subject", "names", "issuer", "valid"] {
      #expect(notes.contains { $0.hasPrefix("*   \(row) ") }, "\(row) in \(run.errors)")
    }
    let place = try #require(run.errors.firstRange(of: "TLSv1.3"))
    let request = try #require(run.errors.firstRange(of: "> GET / "))
    #expect(place.lowerBound < request.lowerBound)
    await origin.stop()
  }

  @Test func `secrets are hidden in heads unless they are asked for`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("body", ["Set-Cookie": "a=s3cr3t"]) }
    let arguments = ["-v", "--bearer", "s3cr3t", "-b", "c=s3cr3t", "-H", "Proxy-Authorization: s3cr3t"]
    let url = origin.address("/?token=s3cr3t&q=1")
    let run = try await ToolRun(arguments + [url])
    #expect(!run.errors.contains("s3cr3t"), "\(run.errors)")
    #expect(
      run.errors.contains("\n> Authorization: <redacted>\n") && run.errors.contains("\n< Set-Cookie: <redacted>\n"))
    let shown = try await ToolRun(arguments + ["--show-secrets", url])
    #expect(shown.errors.contains("\n> Authorization: Bearer s3cr3t\n"), "\(shown.errors)")
    await origin.stop()
  }

  @Test func `a proxy gets the whole URL, and each of several requests has a number`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("body") }
    let proxied = try await ToolRun(["-v", "-x", origin.address("/"), "http://h.example/a"])
    #expect(proxied.errors.contains("\n> GET http://h.example/a HTTP/1.1\n"), "\(proxied.errors)")
    let two = try await ToolRun(["-v", origin.address("/a"), origin.address("/b")])
    let heads = two.errors.split(separator: "\n").filter { $0.contains("> GET ") }
    #expect(heads.count == 2 && heads.allSatisfy { $0.hasPrefix("[") && $0.contains("] > GET /") }, "\(two.errors)")
    await origin.stop()
  }

  @Test func `a request is shown when its connection is there, and counts come at most every five seconds`() throws {
    let written = Mutex<[String]>([])
    let trace = TraceObserver(
      showsSecrets: false, isAlone: true, write: { lines in written.withLock { $0.append(lines) } })
    let clock = ManualClock()
    var settings = ExchangeSettings()
    settings.clock = clock
    settings.observers = [trace]
    let exchange = Exchange(settings)
    func tell(_ kind: ExchangeEvent.Kind) -> String {
      exchange.emit(kind)
      return written.withLock { written in
        defer { written.removeAll() }
        return written.joined(separator: "\n")
      }
    }
    let request = try Request(.get, "https://h.example")
    #expect(!tell(.sending(request)).contains(">"))
    _ = tell(.secured(version: "TLSv1.3", cipherSuite: "X", applicationProtocol: "h2"))
    #expect(tell(.connected(reused: false)).contains("\n> GET / HTTP/2\n> Host: h.example\n"))
    #expect(tell(.received(bytes: 1, expected: 9)) == "")
    clock.advance(by: .seconds(5))
    #expect(tell(.received(bytes: 5, expected: 9)).contains("received 5 of 9 bytes"))
    #expect(tell(.received(bytes: 6, expected: 9)) == "")
    let bell = HTTPField(name: try #require(HTTPField.Name("X-Bell")), value: "a\u{1B}[2Jb")
    var head = ResponseHead(url: request.url, status: .ok)
    head.headerFields.append(bell)
    #expect(!tell(.responded(head)).contains("\u{1B}"))
    // A reused connection says nothing of TLS again.
    _ = tell(.sending(request))
    #expect(tell(.connected(reused: true)).contains("> GET / HTTP/2\n"))
  }
}
