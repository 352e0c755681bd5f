import CurlewCore
import CurlewTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import CurlewTool

/// The format of `--write-out`, without a transfer.
@Suite struct WriteOutTests {
  @Test(
    arguments: [
      ("", []), ("text", [.text("text")]), ("%{url}", [.variable("url")]),
      ("a%{url}b", [.text("a"), .variable("url"), .text("b")]),
      ("%{a}%{b}", [.variable("a"), .variable("b")]), (#"a\n\r\tb"#, [.text("a\n\r\tb")]), ("100%%", [.text("100%")]),
      ("%%{url}", [.text("%{url}")]), ("%header{X-A}", [.header("X-A")]), ("%x %", [.text("%x %")]),
      ("%{url", [.text("%{url")]),
      ("%header{a", [.text("%header{a")]), (#"\x\\n\"#, [.text(#"\x\\n\"#)]), ("%{}", [.variable("")]),
      ("%{stderr}a", [.variable("stderr"), .text("a")]), ("a\nb\r\nc", [.text("a\nb\r\nc")]),
    ] as [(String, [WriteOut.Piece])])
  func `a format is read into its pieces`(format: String, pieces: [WriteOut.Piece]) {
    #expect(WriteOut(format).pieces == pieces)
  }

  @Test func `every variable has a text, and a failure before a response has curl's values`() throws {
    let request = try Request(.get, "http://h.example")
    let result = FetchResult(
      fetch: Fetch(index: 0, url: "http://h.example", request: request, destination: .standardOutput))
    result.failure = FetchFailure(NetworkError(.nameLookupFailed, stage: .resolving, message: "No host."))
    let facts = TransferFacts(result)
    for name in TransferFacts.names { #expect(facts.text(of: name) != nil, "\(name)") }
    #expect(facts.text(of: "nosuch") == nil)
    let text =
      "%{http_code} %{http_version} %{exitcode} %{errormsg} %{remote_ip}%{remote_port} %{time_total} %{url_effective} %{onerror}!"
    let output = WriteOut(text + "%{stderr}e%{stdout}o%{nosuch}").output(for: facts)
    #expect(output.output == "000 0 6 No host 0 0.000000 http://h.example/ !o")
    #expect(output.errors == "e" && output.unknown == ["nosuch"])
    result.failure = nil
    #expect(WriteOut("a%{onerror}b").output(for: TransferFacts(result)).output == "a")
  }

  @Test func `each status of curl that is given has a meaning in the manual`() {
    let kinds = [
      "name-lookup-failed", "connection-failed", "unacceptable-status", "timed-out", "handshake-failed",
      "server-trust-refused", "sink-failed", "too-many-redirects", "truncated-body", "connection-lost", "other",
    ]
    let statuses = kinds.map { CurlStatus.of(FetchFailure(kind: $0, stage: .receivingBody, message: "")) }
    #expect(statuses == [6, 7, 22, 28, 35, 60, 23, 47, 18, 56, 1])
    let known = Set(CurlStatus.meanings.map(\.status))
    #expect(
      known.isSuperset(of: statuses) && known.isSuperset(of: CurlStatus.all) && known.count == CurlStatus.meanings.count
    )
  }
}

/// `--write-out` and `--exit-as-curl` beside the real curl, where it is installed.
@Suite final class CurlComparisonTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/curlew-compare-\(UInt64.random(in: 0 ... .max))"

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private static let hasCurl = FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")

  /// Variables whose text is the same in every version of curl.
  private static let format =
    "%{http_code} %{response_code} %{size_download} %{size_upload} %{url_effective} %{num_redirects} %{content_type} "
    + #"%{http_version} %{remote_ip} %{remote_port} %{method} %{ssl_verify_result} %{exitcode} %{num_connects}\t"#
    + "%header{x-bird} [%{redirect_url}] [%{referer}] [%{errormsg}] %{filename_effective} %{urlnum} %{num_headers} %{size_header} %% %{nosuch}%x"

  private static func origin() async throws -> ScriptedOrigin {
    try await ScriptedOrigin.start { request in
      switch request.path {
      case "/moved": .redirect(to: "/here")
      case "/missing": .status(404, "no such bird")
      case "/circle": .redirect(to: "/circle?")
      case "/cut": OriginReply(.head(200, ["Content-Length": "100"]), .body("half"), .cut)
      case "/empty": OriginReply(.close)
      default: .ok("\(String(decoding: await request.body(), as: UTF8.self))!", ["X-Bird": "curlew"])
      }
    }
  }

  @Test(.enabled(if: hasCurl)) func `the same format prints what curl prints`() async throws {
    let origin = try await Self.origin()
    try Data("a%{http_code}\r\nb\\n\n".utf8).write(to: URL(filePath: folder + "/format"))
    for arguments in [
      [origin.address("/here")], ["-L", origin.address("/moved")],
      ["-d", "a=1", "-e", "http://r/", origin.address("/here")],
      ["-o", folder + "/file", origin.address("/here")], ["-L", "-d", "a=1", origin.address("/moved")],
      [origin.address("/here"), origin.address("/x")], ["-I", origin.address("/here")],
    ] {
      // Two URLs are fetched at a time here, over two connections.
      let format =
        arguments.count == 2 && arguments[1] == origin.address("/x")
        ? Self.format.replacing("%{num_connects}", with: "") : Self.format
      let curl = try await ToolRun(["-s", "-w", format] + arguments, script: #"exec curl "$@""#)
      let ours = try await ToolRun(["-s", "-w", format] + arguments)
      #expect(ours.output == curl.output, "\(arguments)")
      #expect(ours.errors.contains("'nosuch'") && curl.errors.contains("'nosuch'"))
    }
    let unfollowed = try await ToolRun([
      "-s", "--no-location", "-w", "%{redirect_url} %{http_code}", origin.address("/moved"),
    ])
    let theirs = try await ToolRun(
      ["-s", "-w", "%{redirect_url} %{http_code}", origin.address("/moved")], script: #"exec curl "$@""#)
    #expect(unfollowed.output == theirs.output)
    for (format, input) in [("@" + folder + "/format", ""), ("@-", "x%{size_download}\n\n")] {
      let arguments = ["-s", "-w", format, origin.address("/here")]
      let curl = try await ToolRun(arguments, input: Data(input.utf8), script: #"exec curl "$@""#)
      #expect(try await ToolRun(arguments, input: Data(input.utf8)).output == curl.output)
    }
    await origin.stop()
  }

  @Test(.enabled(if: hasCurl)) func `the times are in order, and the JSON has curl's names and values`() async throws {
    let origin = try await Self.origin()
    let names = ["namelookup", "connect", "pretransfer", "starttransfer", "total"]
    let times = try await ToolRun([
      "-s", "-o", "/dev/null", "-w", names.map { "%{time_\($0)}" }.joined(separator: " "), origin.address("/moved"),
    ]).output.split(separator: " ")
    let seconds = times.compactMap { Double($0) }
    #expect(seconds.count == 5 && seconds == seconds.sorted() && seconds[4] > 0, "\(times)")
    #expect(times.allSatisfy { $0.split(separator: ".").last?.count == 6 })
    func object(_ text: String) throws -> [String: Any] {
      try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }
    let arguments = ["-s", "-o", "/dev/null", "-w", "%{json}", origin.address("/here")]
    let (ours, curls) = (
      try await ToolRun(arguments).output, try await ToolRun(arguments, script: #"exec curl "$@""#).output
    )
    let (own, other) = (try object(ours), try object(curls))
    let varying = ["time_", "speed_", "local_port", "scheme", "curl_version"]
    for (name, value) in own where other[name] != nil && !varying.contains(where: name.hasPrefix) {
      #expect("\(value)" == other[name].map { "\($0)" }, "\(name)")
    }
    #expect(own.keys.count > 30 && own["scheme"] as? String == "http")
    let heads = ["-s", "-o", "/dev/null", "-w", "%{header_json}", origin.address("/here")]
    let (head, theirs) = (try await ToolRun(heads).output, try await ToolRun(heads, script: #"exec curl "$@""#).output)
    #expect(try object(head)["x-bird"] as? [String] == ["curlew"] && Set(object(head).keys) == Set(object(theirs).keys))
    await origin.stop()
  }

  @Test func `a text that cannot be had is refused, and one for errors goes there`() async throws {
    let origin = try await Self.origin()
    let missing = try await ToolRun(["-w", "@" + folder + "/nosuch", origin.address("/")])
    #expect(
      missing.status == 2 && missing.errors.contains("/nosuch' cannot be read: No such file"), "\(missing.errors)")
    let both = try await ToolRun(["-w", "@-", "-d", "@-", origin.address("/")])
    #expect(both.status == 2 && both.errors.contains("Standard input cannot be both"), "\(both.errors)")
    let run = try await ToolRun(["-w", "%{stderr}to errors %{http_code}", origin.address("/here")])
    #expect(run.output == "!" && run.errors == "to errors 200")
    let failed = try await ToolRun([
      "-sw", "%{onerror}%{http_code}", origin.address("/missing"), origin.address("/here"),
    ])
    #expect(failed.output == "no such bird404!" && failed.status == 1, "\(failed.output)")
    await origin.stop()
  }

  @Test func `with --exit-as-curl the status is curl's, and without it 1`() async throws {
    let gate = OriginGate()
    let origin = try await Self.origin()
    let slow = try await ScriptedOrigin.start { _ in OriginReply(.wait(for: gate)) }
    let root = try TestIdentity.authority()
    let tls = try await ScriptedOrigin.start(tls: OriginTLS(try root.issue())) { _ in .ok("") }
    let gone = try await ScriptedOrigin.start { _ in .ok("") }
    let closed = gone.address("/")
    await gone.stop()
    for (arguments, status) in [
      (["http://nosuch.invalid/"], 6), ([closed], 7), (["-f", origin.address("/missing")], 22),
      (["-m", "0.3", slow.address("/")], 28), ([tls.address("/")], 60),
      (["-L", "--max-redirs", "2", origin.address("/circle")], 47), ([origin.address("/cut")], 18),
      ([origin.address("/empty")], 52), (["--max-filesize", "1", origin.address("/cut")], 63),
      ([origin.address("/here")], 0),
    ] as [([String], Int32)] {
      let run = try await ToolRun(["-s", "--exit-as-curl", "-w", " %{exitcode}"] + arguments)
      #expect(run.status == status && run.output.hasSuffix(" \(status)"), "\(arguments): \(run.status) \(run.output)")
      let plain = try await ToolRun(["-s"] + arguments)
      #expect(plain.status == min(status, 1))
      guard Self.hasCurl else { continue }
      let curl = try await ToolRun(["-s"] + arguments, script: #"exec curl "$@""#)
      #expect(curl.status == status, "\(arguments): curl ends with \(curl.status)")
    }
    let full = try await ToolRun(
      ["-s", "--exit-as-curl", origin.address("/here")], script: #"exec "$0" "$@" >/dev/full"#)
    #expect(full.status == 23)
    let usage = try await ToolRun(["--exit-as-curl", "--nosuch", closed])
    #expect(usage.status == 2)
    let last = try await ToolRun(["-s", "--exit-as-curl", closed, origin.address("/missing"), origin.address("/here")])
    #expect(last.status == 22)
    gate.open()
    for server in [origin, slow, tls] { await server.stop() }
  }
}
