import CurlewTestSupport
import Foundation
import Testing

@testable import CurlewTool

/// Idioms of curl's users: uploads, dumped heads, and `-O URL`.
@Suite final class CurlIdiomTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/curlew-idiom-\(UInt64.random(in: 0 ... .max))"

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  @Test func `a file is uploaded with PUT, under its name where the URL has none`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      .ok(
        "\(request.method) \(request.target) \(request["Content-Type"] ?? "-") \(String(decoding: await request.body(), as: UTF8.self))"
      )
    }
    try Data("PNG".utf8).write(to: URL(filePath: folder + "/a b.png"))
    for (arguments, answer) in [
      (["-T", folder + "/a b.png", origin.address("/x")], "PUT /x - PNG"),
      (["--upload-file", folder + "/a b.png", origin.address("/x/")], "PUT /x/a%20b.png - PNG"),
      (["-T", folder + "/a b.png", origin.address("/x/?q=1")], "PUT /x/a%20b.png?q=1 - PNG"),
      (["-T", folder + "/a b.png", "127.0.0.1:\(origin.port)"], "PUT /a%20b.png - PNG"),
      (
        ["-XPOST", "-T", folder + "/a b.png", "-H", "Content-Type: image/png", origin.address("/x")],
        "POST /x image/png PNG"
      ),
      (["-T-", origin.address("/x/")], "PUT /x/ - in"),
    ] {
      let run = try await ToolRun(arguments, input: Data("in".utf8))
      #expect(run.output == answer, "\(run.errors)")
    }
    let missing = try await ToolRun(["-T", folder + "/nosuch", origin.address("/")])
    #expect(missing.status == 2 && missing.errors.contains("/nosuch' cannot be read as a body"), "\(missing.errors)")
    let both = try await ToolRun(["-T", folder + "/a b.png", "-d", "a", origin.address("/")])
    #expect(both.status == 2 && both.errors.contains("--upload-file exclude each other"))
    await origin.stop()
  }

  @Test func `the heads of all responses are written to a file, as curl writes them`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      request.path == "/moved" ? .redirect(to: "/here") : .ok("fine", ["Set-Cookie": "a=s3cr3t"])
    }
    let file = folder + "/heads"
    try Data("old".utf8).write(to: URL(filePath: file))
    let run = try await ToolRun(["-D", file, origin.address("/moved")])
    #expect(run.status == 0 && run.output == "fine", "\(run.errors)")
    let heads = try String(contentsOfFile: file, encoding: .utf8)
    let blocks = heads.components(separatedBy: "\r\n\r\n")
    #expect(
      blocks.count == 3 && blocks[0].hasPrefix("HTTP/1.1 302 ") && blocks[1].hasPrefix("HTTP/1.1 200 OK\r\n"),
      "\(heads)")
    #expect(blocks[1].contains("Set-Cookie: a=s3cr3t") && blocks[2].isEmpty)
    // The same server and the same options, where curl is installed.
    if FileManager.default.isExecutableFile(atPath: "/usr/bin/curl") {
      _ = try await ToolRun(
        [folder + "/curl", origin.address("/moved")], script: #"curl -sL -o /dev/null -D "$1" "$2""#)
      func lines(_ path: String) throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\r\n").filter {
          !$0.hasPrefix("Date:")
        }
      }
      #expect(try lines(file) == lines(folder + "/curl"))
    }
    let printed = try await ToolRun(["--dump-header", "-", origin.address("/here")])
    #expect(
      printed.output.hasPrefix("HTTP/1.1 200 OK\r\n") && printed.output.hasSuffix("\r\n\r\nfine"), "\(printed.output)")
    let several = try await ToolRun(["-D-", origin.address("/"), origin.address("/")])
    #expect(several.status == 2 && several.errors.contains("-D - prints the heads of one URL"))
    let nowhere = try await ToolRun(["-D", folder + "/no/such", origin.address("/")])
    #expect(nowhere.status == 1 && nowhere.errors.contains("The heads cannot be written: "), "\(nowhere.errors)")
    await origin.stop()
  }

  @Test func `-O with a URL in place of its directory writes into this one`() async throws {
    let origin = try await ScriptedOrigin.start { .ok($0.path) }
    let run = { (options: String, urls: [String]) in
      try await ToolRun([self.folder] + urls, script: "cd \"$1\" && shift && exec \"$0\" --progress none \(options)")
    }
    let host = "127.0.0.1:\(origin.port)"
    for (options, urls, names) in [
      ("-O \"$1\"", [host + "/a.zip"], ["a.zip"]), ("-LO \"$1\"", [origin.address("/b.zip")], ["b.zip"]),
      ("-O \"$1\" -O \"$2\"", [origin.address("/c.txt"), host + "/d.txt"], ["c.txt", "d.txt"]),
      ("-O \"$1\"", [":\(origin.port)/e.txt"], ["e.txt"]), ("-OJ \"$1\"", [host + "/f.txt"], ["f.txt"]),
      ("\"$1\" -LO", [host + "/g.txt"], ["g.txt"]), ("-O --output-dir new \"$1\"", [host + "/h.txt"], ["new/h.txt"]),
      ("--output-dir new.d -O \"$1\"", [host + "/i.txt"], ["new.d/i.txt"]),
      ("--remote-name --url \"$1\"", [host + "/k.txt"], ["k.txt"]),
      ("-O \"$1\" \"$2\"", [origin.address("/l.txt"), host + "/m.txt"], ["l.txt", "m.txt"]),
    ] {
      let result = try await run(options, urls)
      #expect(result.status == 0 && result.output.isEmpty, "\(result.errors)")
      for name in names {
        #expect(FileManager.default.contents(atPath: folder + "/" + name) == Data("/\(name.suffix(5))".utf8))
      }
    }
    // A directory of that name is one, and a word is no URL.
    try FileManager.default.createDirectory(atPath: folder + "/h.example", withIntermediateDirectories: true)
    for value in ["h.example", "birds"] {
      let result = try await run("-O \"$1\"", [value])
      #expect(result.status == 2 && result.errors.contains("Give at least one URL."), "\(result.errors)")
    }
    let mixed = try await run("-O new -O \"$1\" \"$2\"", [origin.address("/x"), host + "/y"])
    #expect(mixed.status == 2 && mixed.errors.contains("-O is given a directory and http://"), "\(mixed.errors)")
    await origin.stop()
  }

  @Test func `-f and a text of --json that were rather meant as in HTTPie are told, and the request is sent as asked`()
    async throws
  {
    let origin = try await ScriptedOrigin.start { .ok(String(decoding: await $0.body(), as: UTF8.self)) }
    let url = origin.address("/")
    for (arguments, body, warning) in [
      (["-f", "POST", url, "a=b"], #"{"a":"b"}"#, "-f is --fail, as in curl, and the items are sent as JSON"),
      (["--json", "a=s3cr3t", url], "a=s3cr3t", "sent as it is; write 'a=…' behind the URL, without --json"),
      (["--json", "{a", url], "{a", "is sent as it is.\n"), (["--json", "null", url], "null", ""),
      (["--fail", "POST", url, "a=b"], #"{"a":"b"}"#, ""),
      (["-f", "--form", "POST", url, "a=b"], "a=b", ""), (["-f", "--json", "[1]", url], "[1]", ""),
    ] {
      let run = try await ToolRun(arguments)
      #expect(run.status == 0 && run.output == body, "\(run.output)")
      #expect(warning.isEmpty ? run.errors.isEmpty : run.errors.contains(warning), "\(run.errors)")
      #expect(!run.errors.contains("s3cr3t"))
    }
    await origin.stop()
  }

  @Test(arguments: [["--no-location"], ["--max-redirs", "0"]])
  func `a redirect that is not followed is the response, in a file too`(_ options: [String]) async throws {
    let origin = try await ScriptedOrigin.start { _ in .status(302, "moved", ["Location": "/x"]) }
    let url = origin.address("/")
    let file = folder + "/redirect"
    #expect(try await ToolRun(options + [url]).output == "moved")
    let run = try await ToolRun(options + ["-o", file, url])
    #expect(run.status == 0 && FileManager.default.contents(atPath: file) == Data("moved".utf8), "\(run.errors)")
    #expect(try await !ToolRun(options + ["--as-curl", url]).output.contains("--location"))
    #expect(origin.requests.count == 2)
    await origin.stop()
  }

  @Test func `a server does not choose which file -O replaces`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      request.path == "/own" ? .ok("new") : .ok("new", ["Content-Disposition": "attachment; filename=mine.txt"])
    }
    let directory = folder + "/names"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    for name in ["mine.txt", "own"] { try Data("old".utf8).write(to: URL(filePath: directory + "/" + name)) }
    let contents = { (name: String) in try String(contentsOfFile: directory + "/" + name, encoding: .utf8) }
    for options in [[], ["--compressed"]] {
      let run = try await ToolRun(options + ["-O", directory, origin.address("/x")])
      #expect(
        run.status == 1 && run.errors.contains("the name that the server gives, is there already")
          && run.errors.contains("remove it, or give a name with -o"), "\(run.errors)")
      #expect(try contents("mine.txt") == "old")
    }
    // As with curl, the name that the user wrote is replaced, and so is the server's if the URL has the same.
    for path in ["/own", "/mine.txt"] {
      #expect(try await ToolRun(["-O", directory, origin.address(path)]).status == 0)
      #expect(try contents(String(path.dropFirst())) == "new")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == ["mine.txt", "own"])
    await origin.stop()
  }

  @Test func `the head of a HEAD request goes into the file of -o`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("body") }
    let run = try await ToolRun(["-sSLI", "-o", "/dev/null", "-w", "%{http_code}", origin.address("/")])
    #expect(run.status == 0 && run.output == "200", "\(run.errors)")
    let file = folder + "/head"
    #expect(try await ToolRun(["-I", "-o", file, origin.address("/")]).output.isEmpty)
    #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("HTTP/1.1 200 OK\r\n"))
    await origin.stop()
  }

  @Test func `a failure shows no secret of the query`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .status(404, "") }
    let run = try await ToolRun([origin.address("/x?access_token=s3cr3t&q=curlew")])
    #expect(run.status == 1 && run.errors.contains("/x?access_token=<redacted>&q=curlew: The server answered 404"))
    await origin.stop()
  }

  @Test func `each URL gets the file of its -o, in their order`() async throws {
    let origin = try await ScriptedOrigin.start { .ok($0.path) }
    let (first, second) = (origin.address("/first"), origin.address("/second"))
    for arguments in [
      ["-o", folder + "/a", "--url", first, "-o", folder + "/b", second],
      ["-o\(folder)/a", "-o\(folder)/b", first, second],
    ] {
      let run = try await ToolRun(arguments)
      #expect(run.status == 0 && run.output.isEmpty, "\(run.errors)")
      #expect(try String(contentsOfFile: folder + "/a", encoding: .utf8) == "/first")
      #expect(try String(contentsOfFile: folder + "/b", encoding: .utf8) == "/second")
    }
    let shown = try await ToolRun(["--as-curl", "-o", "a", first, "-o", "b", second])
    let lines = shown.output.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].contains("--output a") && lines[1].contains("--output b"), "\(shown.output)")
    for (files, reason) in [
      (["-o", "a"], "2 URLs take 2 files, -o for each"), (["-o", "a", "-o", "-"], "2 URLs take 2 files"),
      (["-o", "a", "-o", "b", "-o", "c"], "-o is given 3 times, and there are fewer URLs"),
      (["-o", "a", "-o", "a"], "-o a is given for two URLs"),
      (["-o", "a", "-O", "."], "-o and -O exclude each other"),
    ] {
      let run = try await ToolRun(files + [first, second])
      #expect(run.status == 2 && run.errors.contains(reason), "\(run.errors)")
    }
    #expect(origin.requests.count == 4)
    await origin.stop()
  }

  @Test func `a time limit is that of an attempt with its redirects`() async throws {
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { request in
      request.path == "/moved" ? .redirect(to: "/slow") : OriginReply(.wait(for: gate))
    }
    let run = try await ToolRun(["-m", "0.5", "--retry", "1", origin.address("/moved")])
    #expect(run.status == 1 && run.errors.contains("timed-out"), "\(run.errors)")
    // Each attempt has a limit of its own.
    #expect(origin.requests.map(\.path) == ["/moved", "/slow", "/moved", "/slow"])
    await origin.stop()
  }
}
