import CurlewBatch
import CurlewCore
import CurlewSQLiteBatchStore
import CurlewTestSupport
import Foundation
import Testing

@testable import CurlewTool

/// What someone expects who knows curl.
@Suite final class CurlUserTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/curlew-user-\(UInt64.random(in: 0 ... .max))"

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  @Test func `the short options of curl mean what they mean there`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      request.path == "/missing" ? .status(404, "no such bird") : .ok(request["User-Agent"] ?? "")
    }
    let named = try await ToolRun([
      "-sSLf", "-A", "bird", "-e", "http://a/", "-b", "a=1", "--compressed", origin.address("/"),
    ])
    #expect(named.output == "bird", "\(named.errors)")
    #expect(origin.requests.last?["Referer"] == "http://a/")
    #expect(origin.requests.last?["Cookie"] == "a=1")
    _ = try await ToolRun(["-F", "name=curlew", "-m", "20", "-c", folder + "/jar", origin.address("/")])
    #expect(origin.requests.last?["Content-Type"]?.hasPrefix("multipart/form-data") == true)
    _ = try await ToolRun(["-G", "-d", "a=1", "-d", "b=2", origin.address("/q?c=3")])
    #expect(origin.requests.last?.method == "GET" && origin.requests.last?.target == "/q?c=3&a=1&b=2")
    let failed = try await ToolRun(["-f", origin.address("/missing")])
    #expect(failed.status == 1 && failed.output == "" && failed.errors.contains("404 Not Found"))
    let proxied = try await ToolRun(["-x", origin.address("/"), "http://h.example/p"])
    #expect(proxied.status == 0 && origin.requests.last?.target == "http://h.example/p")
    let resumed = try await ToolRun(["-C", "-", "-o", folder + "/file", origin.address("/")])
    #expect(resumed.status == 0, "\(resumed.errors)")
    await origin.stop()
  }

  @Test func `values may be attached to short options`() async throws {
    #expect(
      ShortOptions.parted(["-sSLm5", "-XPUT", "-da=1", "-o-", "-d", "-x", "-C", "-", "-O.", "http://h/", "--", "-XPUT"])
        == [
          "-sSLm", "5", "-X", "PUT", "-d", "a=1", "-o", "-", "-d", "-x", "-C", "-", "-O", ".", "http://h/", "--",
          "-XPUT",
        ])
    #expect(ShortOptions.parted(["-sS", "-", "--max-time", "3", "-h"]) == ["-sS", "-", "--max-time", "3", "-h"])
    #expect(
      ShortOptions.parted([
        "--data-urlencode", "q=a b", "--data-urlencode==c&d", "--data-urlencode", "q=\u{301}", "--data-urlencode",
        "a@b",
      ])
        == ["--data=q=a%20b", "--data=c%26d", "--data=q=%CC%81", "--data-urlencode", "a@b"])
    #expect(ShortOptions.parted(["--url", "http://h/", "--url=a", "--remote-name"]) == ["http://h/", "a", "-O", "."])
    #expect(ShortOptions.parted(["-O", "-s", "--url", "a"], isFetch: false) == ["-O", "-s", "--url", "a"])
    // Where -O has no value, as in curl, it is this directory.
    #expect(ShortOptions.parted(["-sOL", "http://h/"]) == ["-sL", "-O", ".", "http://h/"])
    #expect(ShortOptions.parted(["-OJ", "-O", "-s", "-O"]) == ["-J", "-O", ".", "-O", ".", "-s", "-O", "."])
    #expect(ShortOptions.parted(["-OO", "-sOLO"]) == ["-O", ".", "-sL", "-O", "."])
    #expect(ShortOptions.parted(["-qO-", "-O-", "-O", "-", "-s"]) == ["-q", "-o", "-", "-o", "-", "-o", "-", "-s"])
    #expect(ShortOptions.parted(["-Ofiles", "-O", "files"]) == ["-O", "files", "-O", "files"])
    let origin = try await ScriptedOrigin.start { .ok($0.method) }
    #expect(try await ToolRun(["-XPUT", "-sSLm20", "-uu:p", "-HA: b", origin.address("/")]).output == "PUT")
    let missing = try await ToolRun(["-r0-9", origin.address("/")])
    #expect(missing.status == 2 && missing.errors.contains("take -H 'Range: bytes=0-99'"))
    await origin.stop()
  }

  @Test func `an error names where redirects led`() async throws {
    let other = try await ScriptedOrigin.start { _ in .status(404, "no") }
    let origin = try await ScriptedOrigin.start { request in
      request.path == "/gone" ? .redirect(to: "http://127.0.0.1:1/a?token=s3cr3t") : .redirect(to: other.address("/x"))
    }
    let refused = try await ToolRun(["--progress", "none", origin.address("/y")])
    #expect(
      refused.errors.contains("/y, redirected to \(other.address("/x")): The server answered 404"), "\(refused.errors)")
    let gone = try await ToolRun([origin.address("/gone")])
    #expect(
      gone.errors.contains("/gone, redirected to http://127.0.0.1:1/a?token=<redacted>: The connection"),
      "\(gone.errors)")
    await origin.stop()
    await other.stop()
  }

  @Test func `forms and content are in the command for curl, and a hidden password is told`() async throws {
    let origin = try await ScriptedOrigin.start { request in .ok(String(decoding: await request.body(), as: UTF8.self))
    }
    try Data("PNG".utf8).write(to: URL(filePath: folder + "/a.png"))
    let form = ["--as-curl", "-F", "name=it's", "-F", "photo=@\(folder)/a.png;type=image/png", origin.address("/")]
    let line = try await ToolRun(form + ["--show-secrets"])
    let run = try await ToolRun([line.output], script: "eval \"$1\"")
    #expect(
      run.output.contains("it's") && run.output.contains("image/png") && run.output.contains("PNG"), "\(line.output)")
    let shown = try await ToolRun(["--as-curl", "-d", "a=b", origin.address("/")])
    #expect(shown.errors.isEmpty && shown.output.contains("--data-raw 'a=b'"), "\(shown.output)")
    try Data("s3cr3t".utf8).write(to: URL(filePath: folder + "/secret"))
    let file = folder + "/secret"
    for arguments in [["-u", "me:s3cr3t"], ["-d", "@" + file], ["-d", "a=b", "-d", "@" + file]] {
      let hidden = try await ToolRun(["--as-curl"] + arguments + [origin.address("/")])
      #expect(
        hidden.errors.contains("--show-secrets prints it") && !hidden.output.contains("s3cr3t"), "\(hidden.output)")
    }
    for item in ["a=@" + file, "a:=@\(file).json"] {
      try Data(#""s3cr3t""#.utf8).write(to: URL(filePath: file + ".json"))
      let hidden = try await ToolRun(["--as-curl", "POST", origin.address("/"), item])
      #expect(
        hidden.errors.contains("--show-secrets prints it") && !hidden.output.contains("s3cr3t"), "\(hidden.output)")
    }
    let long = try await ToolRun(["--as-curl", "--data-binary", "@-", origin.address("/")], input: Data("a".utf8))
    #expect(long.errors.contains("The content is not in the command"), "\(long.errors)")
    await origin.stop()
  }

  @Test(arguments: [
    (["-H", "foo"], "It has no colon; write 'Name: value'."), (["-H", "a b: c"], "holds a space (U+0020)"),
    (["--pin", "foo"], "as curlew trust HOST prints them"),
    (["--checksum", "sha-256:12"], "such as sha-256: and 64 digits"),
    (["--timeout", "x"], "such as 10 or 0.3"), (["--max-size", "x"], "such as 500 or 64k"),
    (["--resolve", "a"], "Write host:port:address"), (["--proxy", "ftp://h"], "Write http://host:port"),
    (["--query", "a"], "Write name=value."), (["--part", "a"], "Write name=value, name=@file"),
    (["--part", "a=@b;type=x"], "is not a media type"), (["-C", "100"], "-C takes only -"),
    (["-b", "file"], "--cookie-jar takes a file"), (["-H", "@fields"], "No file is read"),
    (["--retry", "-1"], "--retry takes no negative number."), (["-m", "-0.5"], "-m takes no negative number."),
    (["-O", "out.bin"], "write -o out.bin for a file of this name, or -O out.bin/"),
    (["-t", "3"], "take --retry NUMBER"),
    (["--json", "1", "--json", "2"], "--json is given 2 times"), (["-c", "-"], "-c takes the name of a file"),
    (["--data-binary", "1", "--data-binary", "2"], "--data-binary is given 2 times"),
    (["-nc"], "test -e FILE"), (["--no-check-certificate"], "or --insecure"),
    (["-b", "file", "-c", "jar"], "has no = and is no file"), (["-F", #"a="b";c"#], "behind its quotes"),
  ])
  func `wrong usage says what is missing`(arguments: [String], reason: String) async throws {
    let run = try await ToolRun(arguments + ["http://127.0.0.1:1/"])
    #expect(run.status == 2 && run.errors.contains(reason), "\(run.errors)")
  }

  @Test func `a credential that is refused is not quoted`() async throws {
    for arguments in [["--user", "s3cr3t"], ["--bearer", "s3cr3t s3cr3t"]] {
      let run = try await ToolRun(arguments + ["http://127.0.0.1:1/"])
      #expect(run.status == 2 && run.errors.contains(arguments[0]) && !run.errors.contains("s3cr3t"), "\(run.errors)")
    }
  }

  @Test func `the command for curl has the options of the run, and says which it cannot have`() async throws {
    let root = try TestIdentity.authority()
    let leaf = try root.issue()
    let files = try leaf.writeFiles()
    defer { files.remove() }
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(leaf)) { request in
      if request.path == "/moved" { return .redirect(to: "/here") }
      return request["Authorization"] == nil
        ? .status(401, "who?", ["WWW-Authenticate": "Basic realm=\"birds\""]) : .ok("fine")
    }
    let pin = try #require(leaf.certificate.pin)
    let arguments = [
      "--as-curl", "--show-secrets", "--cacert", files.root, "--pin", pin, "-u", "me:it's", "--retry", "1", "-o",
      folder + "/it's",
      "--checksum", "md5:" + String(repeating: "0", count: 32), "--har", folder + "/har", origin.address("/moved"),
    ]
    let line = try await ToolRun(arguments)
    #expect(line.status == 0 && origin.requests.isEmpty)
    #expect(
      line.errors.contains("Not in the command, since curl has nothing for it: --checksum, --har."), "\(line.errors)")
    #expect(line.errors.contains("the server's own certificate only"))
    let run = try await ToolRun([line.output], script: "eval \"$1\"")
    #expect(run.status == 0, "\(run.errors)")
    #expect(FileManager.default.contents(atPath: folder + "/it's") == Data("fine".utf8))
    let hidden = try await ToolRun(arguments.filter { $0 != "--show-secrets" })
    #expect(hidden.output.contains("--user '<redacted>'") && !hidden.output.contains("me:"), "\(hidden.output)")
    #expect(try await ToolRun(["--as-curl", "-k", origin.address("/")]).output.contains(" --insecure"))
    await origin.stop()
  }

  @Test func `a finished file is not fetched again if its digest proves it, and otherwise it is said`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("fine") }
    let arguments = ["--resume", "--progress", "none", "-o", folder + "/a", origin.address("/")]
    #expect(try await ToolRun(arguments).errors == "")
    let unproven = try await ToolRun(arguments)
    #expect(
      unproven.status == 0 && unproven.errors.contains("a is there already, and nothing tells"), "\(unproven.errors)")
    #expect(origin.requests.count == 2)
    let digest = "sha-256:bc5c6bc8ee9cf47f4c3b2acab19a0d8a1e8ef9bbae5b8eff5a5b1f6c2a8d2a5e"
    let wrong = try await ToolRun(arguments + ["--checksum", digest])
    #expect(wrong.status == 1 && wrong.errors.contains("has another digest. It is fetched again."), "\(wrong.errors)")
    #expect(origin.requests.count == 3)
    let right = try await ToolRun(arguments + ["--checksum", "md5:" + Self.md5OfFine])
    #expect(right.status == 0 && right.errors == "curlew: \(folder)/a is there already, and has the digest.\n")
    #expect(origin.requests.count == 3)
    await origin.stop()
  }

  /// `printf fine | md5sum`.
  private static let md5OfFine = "fff25994ee3941b225ba898fd17d186f"

  @Test func `an error begins a line of its own behind a body that has no end of line`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .status(404, "no such bird") }
    let run = try await ToolRun([origin.address("/")], script: #""$0" get "$1" 2>&1 | cat"#)
    #expect(run.output.hasPrefix("no such bird\ncurlew: GET http"), "\(run.output)")
    let apart = try await ToolRun(["get", origin.address("/")])
    #expect(apart.output == "no such bird" && apart.errors.hasPrefix("curlew: GET http"))
    await origin.stop()
  }

  @Test func `a trace tells host, version, addresses and what a challenge asks for`() async throws {
    let origin = try await ScriptedOrigin.start { _ in
      .status(401, "who?", ["WWW-Authenticate": "Basic realm=\"birds\""])
    }
    let run = try await ToolRun(["-v", "-u", "a:b", origin.address("/")])
    #expect(run.errors.contains("\n> Host: \(try Origin(origin.url("/")).urlHost):\(origin.port)\n"), "\(run.errors)")
    #expect(run.errors.contains("\n< HTTP/1.1 401 Unauthorized\n"))
    #expect(run.errors.contains(" to 127.0.0.1:\(origin.port), queue "), "\(run.errors)")
    #expect(run.errors.contains(", basic, realm \"birds\""))
    #expect(run.errors.contains("< WWW-Authenticate: <redacted>"))
    let shown = try await ToolRun(["-v", "--show-secrets", origin.address("/")])
    #expect(shown.errors.contains("WWW-Authenticate: Basic realm"))
    await origin.stop()
  }

  @Test func `a timeout says how long it was`() async throws {
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { _ in OriginReply(.wait(for: gate)) }
    let run = try await ToolRun(["-m", "0.5", origin.address("/")])
    #expect(
      run.errors
        == "curlew: GET \(origin.address("/")): The attempt took longer than its total timeout of 0.5 s (timed-out, while waiting for the response); raise --timeout.\n"
    )
    await origin.stop()
  }

  @Test func `a stored digest that is none fails its item, and the item is named`() async throws {
    let store = try await SQLiteBatchStore(folder + "/.curlew-batch")
    try await store.add([
      BatchItem("a", job: .listedFile, input: Data("http://127.0.0.1:1/a\tsha-256:12".utf8), host: "127.0.0.1")
    ])
    await store.close()
    let report = folder + "/report"
    let run = try await ToolRun(
      ["batch", "--progress", "none", "--report", report, "-O", folder, "-"], input: Data())
    #expect(run.status == 1 && run.errors.hasPrefix("curlew: GET http://127.0.0.1:1/a: "), "\(run.errors)")
    #expect(run.errors.contains("sha-256"))
    let lines = try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 1 && lines[0].hasPrefix(#"{"url":"http://127.0.0.1:1/a","bytes":0,"error":{"#), "\(lines)")
  }
}
