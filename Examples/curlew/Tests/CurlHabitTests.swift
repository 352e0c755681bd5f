import ArgumentParser
import CurlewCore
import CurlewTestSupport
import Foundation
import Testing

@testable import CurlewTool

/// Habits of the users of curl and HTTPie: fields that are left out, files of cookies, standard input, and names of files.
@Suite final class CurlHabitTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/curlew-habit-\(UInt64.random(in: 0 ... .max))"

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  @Test func `a field with a colon alone is left out, and one with a semicolon is sent empty`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("fine") }
    let url = origin.address("/")
    for arguments in [
      ["-H", "User-Agent:", "-H", "Accept:", "-H", "Content-Type:", "-H", "Accept-Encoding:", "--json", "{}", url],
      ["-A", "", "-H", "accept: ", "-H", "content-type:", "-H", "accept-encoding:", "--json", "{}", url],
      ["-H", "Accept-Encoding:", "POST", url, "a=b", "User-Agent:", "Accept:", "Content-Type:"],
    ] {
      let run = try await ToolRun(arguments)
      let request = try #require(origin.requests.last)
      #expect(run.status == 0, "\(run.errors)")
      for name in ["User-Agent", "Accept", "Content-Type", "Accept-Encoding"] {
        #expect(request[name] == nil, "\(name) after \(arguments)")
      }
    }
    let count = origin.requests.count
    _ = try await ToolRun(["-H", "X-Empty;", "-H", "User-Agent;", "-H", "Accept:", "-H", "Accept: a/b", url])
    let request = try #require(origin.requests.last)
    #expect(origin.requests.count == count + 1)
    #expect(request["X-Empty"] == "" && request["User-Agent"] == "" && request["Accept"] == "a/b")
    for name in ["Host", "content-length"] {
      let run = try await ToolRun(["-H", name + ":", url])
      #expect(run.status == 2 && run.errors.contains("No request can do without the field"), "\(run.errors)")
    }
    let list = Data(url.utf8)
    _ = try await ToolRun(["batch", "-s", "--store", "memory", "-H", "User-Agent:", "-O", folder, "-"], input: list)
    #expect(origin.requests.last?["User-Agent"] == nil && origin.requests.count == count + 2)
    await origin.stop()
  }

  @Test func `a file of cookies is sent and stays as it is, and --cookie-jar gets its cookies`() async throws {
    let origin = try await ScriptedOrigin.start { .ok($0["Cookie"] ?? "none", ["Set-Cookie": "b=2; Max-Age=1000"]) }
    let file = folder + "/cookies"
    let text = "# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1\n"
    try Data(text.utf8).write(to: URL(filePath: file))
    let url = "http://127.0.0.1:\(origin.port)/"
    #expect(try await ToolRun(["-b", file, url]).output == "a=1")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
    let both = try await ToolRun(["-b", file, "-c", folder + "/jar", url])
    #expect(both.output == "a=1", "\(both.errors)")
    #expect(try String(contentsOfFile: folder + "/jar", encoding: .utf8).contains("\tb\t2"))
    // As in a first login, which makes the file.
    let first = try await ToolRun(["-b", folder + "/new", "-c", folder + "/new", url])
    #expect(first.output == "none" && first.errors.isEmpty, "\(first.errors)")
    #expect(try await ToolRun(["-b", folder + "/new", "-c", folder + "/new", url]).output == "b=2")
    #expect(try await ToolRun(["-b", "c=3; d=4", url]).output == "c=3; d=4")
    let many = try await ToolRun(["-b", "c=3; d=4", "-b", "e=5", "-b", file, url])
    #expect(many.output == "c=3; d=4; e=5; a=1", "\(many.errors)")
    let missing = try await ToolRun(["-b", folder + "/nosuch", url])
    #expect(missing.status == 2 && missing.errors.contains("has no = and is no file"), "\(missing.errors)")
    await origin.stop()
  }

  @Test func `standard input that HTTPie would send is refused before a request, and never waited for`() async throws {
    let place = folder + "/late"
    let origin = try await ScriptedOrigin.start { request in
      // What a slow program writes into the pipe while the request is on its way.
      if request.path == "/late" {
        try? FileHandle(forWritingTo: URL(filePath: place)).write(contentsOf: Data("a".utf8))
      }
      return .ok(String(decoding: await request.body(), as: UTF8.self))
    }
    let url = origin.address("/")
    let pipe =
      #"mkfifo "$2" && exec 3<>"$2" && echo '{"x":1}' >&3 && "$0" POST "$1" <"$2"; code=$?; rm "$2"; exit $code"#
    let file = #"echo '{"x":1}' >"$2" && "$0" POST "$1" <"$2"; code=$?; rm "$2"; exit $code"#
    for script in [pipe, file] {
      let run = try await ToolRun([url, folder + "/input"], script: script)
      #expect(run.status == 2 && run.errors.hasPrefix("curlew: Standard input would not be sent; write --json @-"))
    }
    #expect(origin.requests.isEmpty)
    let late = try await ToolRun(
      [origin.address("/late"), place], script: #"mkfifo "$2" && exec 3<>"$2" && "$0" POST "$1" <"$2""#)
    #expect(late.status == 0, "\(late.errors)")
    #expect(late.errors == "curlew: Standard input was not sent; write --json @- or --data-binary @- to send it.\n")
    let body = Data(#"{"x":1}"#.utf8)
    for arguments in [
      ["POST", url, "a=b"], ["-X", "POST", url], [url], ["GET", url],
      ["--json", "@-", "POST", url],
    ] {
      #expect(try await ToolRun(arguments, input: body).errors == "", "\(arguments)")
    }
    // A pipe that stays open and gives nothing, and the list that a loop reads.
    let open = try await ToolRun(
      [url, folder + "/pipe"], script: #"mkfifo "$2" && exec 3<>"$2" && "$0" POST "$1" <"$2""#)
    #expect(open.status == 0 && open.errors == "", "\(open.errors)")
    let loop = try await ToolRun(
      [url], input: Data("1\n2\n3\n".utf8), script: #"while read -r n; do "$0" POST "$1?$n"; done"#)
    #expect(loop.errors == "" && origin.requests.suffix(3).map(\.target) == ["/?1", "/?2", "/?3"], "\(loop.errors)")
    await origin.stop()
  }

  @Test func `a file has the same name from -O and in a batch`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      request.path == "/old/8" ? .redirect(to: "/new/9.json") : .ok("{}", type: "application/json")
    }
    let urls = ["/7", "/old/8", "/a.txt", "/"].map { origin.address($0) }
    func names(_ place: String) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: place).filter { !$0.hasPrefix(".") }.sorted()
    }
    for (place, options) in [("/get", []), ("/resumed", ["--resume"])] as [(String, [String])] {
      let run = try await ToolRun(["-s", "-O", folder + place] + options + urls)
      #expect(run.status == 0)
      #expect(try names(folder + place) == ["7", "8", "a.txt", "download"])
    }
    let list = Data(urls.joined(separator: "\n").utf8)
    let batch = try await ToolRun(["batch", "-s", "-O", folder + "/batch", "-"], input: list)
    #expect(batch.status == 0, "\(batch.errors)")
    #expect(try names(folder + "/batch") == ["7", "8", "a.txt", "download"])
    await origin.stop()
  }

  @Test func `a space in a URL is encoded, and in a host refused`() async throws {
    let origin = try await ScriptedOrigin.start { .ok($0.target) }
    #expect(try await ToolRun([origin.address("/") + "a b?c=d e"]).output == "/a%20b?c=d%20e")
    #expect(try await ToolRun(["127.0.0.1:\(origin.port)/a b"]).output == "/a%20b")
    let host = try await ToolRun(["http://a b/"])
    #expect(host.status == 2 && host.errors.contains("contains a space"), "\(host.errors)")
    await origin.stop()
  }

  @Test func `-I takes the method HEAD, and says of another one what to write`() async throws {
    let origin = try await ScriptedOrigin.start { $0.path == "/gone" ? .status(404, "no") : .ok("body") }
    #expect(try await ToolRun(["-I", "-X", "HEAD", origin.address("/")]).output.hasPrefix("HTTP/1.1 200 OK"))
    let refused = try await ToolRun(["-I", "-X", "GET", origin.address("/")])
    #expect(refused.status == 2 && refused.errors.contains("write -X GET -i -o /dev/null"), "\(refused.errors)")
    for file in ["/dev/null", folder + "/none"] {
      let gone = try await ToolRun(["-i", "-o", file, origin.address("/gone")])
      #expect(gone.status == 1 && gone.output.hasPrefix("HTTP/1.1 404"), "\(gone.output)")
    }
    let head = try await ToolRun(["-X", "GET", "-i", "-o", "/dev/null", origin.address("/")])
    #expect(head.output.hasPrefix("HTTP/1.1 200 OK") && !head.output.contains("body"), "\(head.output)")
    await origin.stop()
  }

  @Test func `trust gives no advice about a URL, and a pin on a server without trust says what is checked first`()
    async throws
  {
    let connection = try ConnectionArguments.parse([])
    for (kind, advice) in [
      (NetworkError.Kind.handshakeFailed, "check the port: a server that speaks no TLS there has no certificates"),
      (.connectTimedOut, "check that the server answers, and speaks TLS at this port"),
    ] {
      var failure = FetchFailure(kind: kind.rawValue, stage: .securing, message: "It failed.")
      failure.sharedAdvice = "Check the port; if the server speaks plain HTTP there, write http:// in the URL."
      failure.ownAdvice = TrustCommand.advice[failure.kind]
      let sentence = failure.sentence(for: "127.0.0.1:1", over: connection)
      #expect(sentence.hasSuffix("; \(advice)."), "\(sentence)")
    }
    let own = try await ScriptedOrigin.start(tls: OriginTLS(try TestIdentity.selfSigned())) { _ in .ok("body") }
    let pin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    let pinned = try await ToolRun(["--pin", pin, own.address("/")])
    #expect(pinned.errors.contains("; the chain is checked before any pin; take --cacert"), "\(pinned.errors)")
    await own.stop()
  }

  @Test func `each topic of help fits the width of the terminal`() {
    for topic in HelpTopic.allCases {
      for width in [80, 60] {
        let long = topic.text(width: width).split(separator: "\n").filter { $0.count > width && $0.hasPrefix("    ") }
        #expect(long.isEmpty, "\(long)")
      }
      #expect(topic.text(width: 80).split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
  }
}
