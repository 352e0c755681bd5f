import CurlewTestSupport
import FoundationEssentials
import Testing

@testable import CurlewTool

/// URLs and options as they are typed at a prompt.
@Suite struct BareURLTests {
  @Test(arguments: [
    ("example.com/x", "https://example.com/x"), ("example.com:8000", "https://example.com:8000"),
    ("localhost", "http://localhost"), ("LocalHost:80/x", "http://LocalHost:80/x"),
    (":8000/x", "http://localhost:8000/x"),
    (":/x", "http://localhost:/x"), ("127.0.0.1:1", "http://127.0.0.1:1"), ("127.9.9.9/", "http://127.9.9.9/"),
    ("[::1]:80/", "http://[::1]:80/"), ("[2001:db8::1]/", "https://[2001:db8::1]/"), ("128.0.0.1", "https://128.0.0.1"),
    ("127.0.0.1.example", "https://127.0.0.1.example"), ("localhost.example", "https://localhost.example"),
    ("app.localhost", "https://app.localhost"), ("bücher.example", "https://bücher.example"),
    ("h?q=:1", "https://h?q=:1"),
    ("u@h", "u@h"), ("u:p@localhost", "u:p@localhost"), ("mailto:a", "mailto:a"), ("./x", "./x"), ("/etc/x", "/etc/x"),
    ("::1", "::1"), ("a b.example", "a b.example"), ("ftp://h", "ftp://h"), ("", ""), ("-x", "-x"),
  ])
  func `a host without a scheme gets https, and this machine http`(text: String, url: String) {
    #expect(BareURL.completed(text) == url)
  }

  @Test func `a bare host is fetched, and an error names the URL that was taken`() async throws {
    let origin = try await ScriptedOrigin.start { .ok($0.path) }
    #expect(try await ToolRun(["localhost:\(origin.port)/x"]).output == "/x")
    #expect(try await ToolRun([":\(origin.port)/y"]).output == "/y")
    #expect(try await ToolRun(["get", "127.0.0.1:\(origin.port)/z"]).output == "/z")
    let far = try await ToolRun(["--resolve", "h.example:1:127.0.0.1", "h.example:1/"])
    #expect(far.status == 1 && far.errors.hasPrefix("curlew: GET https://h.example:1/: "), "\(far.errors)")
    #expect(far.errors.hasSuffix("; https was assumed; if the server has no TLS, write http:// before the host.\n"))
    #expect(origin.requests.count == 3)
    let secret = try await ToolRun(["u:s3cr3t@localhost/"])
    #expect(secret.status == 2 && !secret.errors.contains("s3cr3t"), "\(secret.errors)")
    await origin.stop()
  }

  @Test func `progress of files leaves lines in a log, and of printed bodies none`() {
    // The tests have no terminal as their standard error.
    guard !StandardError.isTerminal else { return }
    #expect(ProgressDisplay(.auto, count: 1, showsBody: false, printsBody: true).style == .none)
    #expect(ProgressDisplay(.auto, count: 1, showsBody: false).style == .plain)
    #expect(ProgressDisplay(.plain, count: 1, showsBody: false, printsBody: true).style == .plain)
  }

  @Test func `a list's URL has a scheme, and the refusal says which`() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/curlew-bare-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let run = try await ToolRun(
      ["batch", "-O", folder, "--store", "memory", "-"], input: Data("h.example/a\n".utf8))
    #expect(run.status == 2 && run.errors.hasSuffix("; write https://h.example/a.\n"), "\(run.errors)")
  }

  @Test(arguments: [
    ("--wrong", "--json", false), ("--parralel", "--parallel", true), ("--jsn", "--json", true), ("gte", "get", true),
    ("--url", "--user", false), ("--hed", "--head", true), ("ab", "get", false), ("--lim", "--pin", false),
  ])
  func `a guess is made only if it is near`(given: String, name: String, isNear: Bool) {
    #expect(NearestName.isNear(name, to: given) == isNear)
  }

  @Test func `an unknown option has no guess that is far off, and says where help is`() async throws {
    let far = try await ToolRun(["--wrong", "http://h/"])
    #expect(far.status == 2 && far.errors.hasPrefix("curlew: Unknown option '--wrong'.\n"), "\(far.errors)")
    #expect(far.errors.contains("See 'curlew get --help'"))
    let near = try await ToolRun(["--parralel", "3", "http://h/"])
    #expect(near.errors.hasPrefix("curlew: Unknown option '--parralel'; did you mean --parallel?\n"), "\(near.errors)")
    let help = try await ToolRun(["--hlep"])
    #expect(help.errors.hasPrefix("curlew: Unknown option '--hlep'; did you mean --help?\n"), "\(help.errors)")
  }

  @Test(arguments: [
    (["-R"], "There is no -R; "), (["-sR"], "There is no -R; a file has the time"),
    (["-r", "0-9"], "take -H 'Range: bytes=0-99'"), (["-4"], "take --resolve"),
    (["-R"], "There is no -R; "), (["-K", "f"], "There is no -K; "), (["-U", "a:b"], "--proxy http://NAME"),
    (["--retry-delay", "1"], "--retry waits by itself"), (["--ssl-reqd"], "leave it out"),
    (["--tlsv1.1"], "leave it out"),
    (["--location-trusted"], "URL's own host"), (["-0"], "take --http1.1"),
    (["--next"], "run curlew once for each"), (["-z", "x"], "--cache DIRECTORY"),
    (["-p", "hb"], "take -i for head and body"), (["--print=h"], "-I for the head alone"),
    (["--verify", "no"], "take --cacert FILE"), (["--parallel"], "--parallel takes a number"),
  ])
  func `an option of curl that is missing is refused with what to write`(arguments: [String], part: String) async throws
  {
    let run = try await ToolRun(arguments + ["http://127.0.0.1:1/"])
    #expect(run.status == 2 && run.output.isEmpty && run.errors.contains(part), "\(run.errors)")
    #expect(run.errors.filter { $0 == "\n" }.count == 1, "\(run.errors)")
  }

  @Test func `an option of curl or HTTPie that asks for what is the default is taken`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("a") }
    for options in [["-q"], ["-sgL"], ["--globoff", "--disable"], ["--check-status", "--follow"], ["--tlsv1.2"]] {
      let run = try await ToolRun(options + [origin.address("/x")])
      #expect(run.status == 0 && run.output == "a" && run.errors.isEmpty, "\(options): \(run.errors)")
    }
    await origin.stop()
  }

  @Test func `--create-dirs makes the directories of the file`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("a") }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("b/c.txt")
    let arguments = ["-o", file.path, origin.address("/x")]
    let none = try await ToolRun(arguments)
    #expect(
      none.status == 1 && none.errors.contains("; take --create-dirs to make the directory, or"), "\(none.errors)")
    let run = try await ToolRun(["--create-dirs"] + arguments)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try String(contentsOf: file, encoding: .utf8) == "a")
    // Nobody gave the name.
    let nameless = try await ToolRun(["-O", folder.path, origin.address("/")])
    #expect(nameless.errors.hasPrefix("\(folder.path)/download: 1 B in "), "\(nameless.errors)")
    #expect(try await ToolRun(["-O", folder.path, origin.address("/y")]).errors.isEmpty)
    await origin.stop()
  }

  @Test(arguments: [
    ("http://h/f[1-3].txt", "[1-3]"), ("h/[a-z]", "[a-z]"), ("h/?page=[01-20:2]", "[01-20:2]"), ("h/{a,b}/c", "{a,b}"),
    ("h/?q={\"a\":1,\"b\":2}", nil), ("http://[fe80::1]/a", nil), ("h/a[0]", nil), ("h/{id}", nil), ("h", nil),
    ("h/?a[b-c]=1", "[b-c]"), ("h/?a[from-to]=1", nil),
  ])
  func `a range or a list of curl's is known by its form`(url: String, glob: String?) {
    #expect(BareURL.glob(in: url) == glob)
  }

  @Test func `escapes in a URL stay where other characters have to be encoded`() async throws {
    let origin = try await ScriptedOrigin.start { .ok($0.target) }
    let url = origin.address("/a%2Fb?u=http%3A%2F%2Fx&n=Zürich|1")
    let target = "/a%2Fb?u=http%3A%2F%2Fx&n=Z%C3%BCrich%7C1"
    #expect(try await ToolRun([url]).output == target)
    let line = try await ToolRun(["--as-curl", url])
    #expect(line.output.contains(target), "\(line.output)")
    let data = try await ToolRun(["-G", "-d", "q=a b", "--data-urlencode", "z=a&b", origin.address("/")])
    #expect(data.output == "/?q=a%20b&z=a%26b", "\(data.errors)")
    let query = try await ToolRun(["--url-query", "q=ä", "--url-query", "z=&", origin.address("/?c=%2F")])
    #expect(query.output == "/?c=%2F&q=%C3%A4&z=%26", "\(query.errors)")
    let gone = try await ToolRun(["-f", url.replacing("http:", with: "https:")])
    #expect(!gone.errors.contains("redirected"), "\(gone.errors)")
    await origin.stop()
  }

  @Test func `a range in a URL is sent as it is, which is said unless -g says so`() async throws {
    let origin = try await ScriptedOrigin.start { .ok($0.path) }
    let run = try await ToolRun([origin.address("/f[1-3]")])
    #expect(
      run.status == 0 && run.output == "/f%5B1-3%5D" && run.errors.contains("[1-3] is a part of the URL"),
      "\(run.errors)")
    #expect(try await ToolRun(["-g", origin.address("/f[1-3]")]).errors.isEmpty)
    await origin.stop()
  }

  @Test func `an option of curl that lacks something is refused with what to write`() async throws {
    let file = try await ToolRun(["--data-urlencode", "a@b", "http://127.0.0.1:1/"])
    #expect(
      file.status == 2 && file.errors.contains("takes no file, as in 'a@…'; take --form name=value"), "\(file.errors)")
    let two = try await ToolRun(["-O", "d", "--output-dir", "e", "http://127.0.0.1:1/"])
    #expect(two.status == 2 && two.errors.contains("-O d and --output-dir e are two; give one."), "\(two.errors)")
    let alone = try await ToolRun(["--output-dir", "x", "http://127.0.0.1:1/"])
    #expect(alone.status == 2 && alone.errors.contains("--output-dir is for -O"), "\(alone.errors)")
  }

  @Test func `what looks like an option of curl may be a value`() throws {
    for arguments in [["-H", "-w"], ["-d", "-R"], ["-sSd", "-4"], ["--", "-w"], ["--data", "a", "http://h/"]] {
      #expect(CurlOptions.refusal(in: ShortOptions.parted(arguments)) == nil, "\(arguments)")
    }
  }

  @Test func `options of curl that are the default here are taken`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      request.path == "/gone" ? .status(404, "no bird") : .ok(String(decoding: await request.body(), as: UTF8.self))
    }
    let url = origin.address("/")
    let run = try await ToolRun([
      "-sS#JNZ", "--fail-with-body", "--progress-bar", "--max-redirs", "3", "--max-filesize", "1k", "--compressed",
      "--data-raw", "@a=1", "--data-raw", "b", url,
    ])
    #expect(run.status == 0 && run.output == "@a=1&b" && run.errors == "", "\(run.errors)")
    let gone = try await ToolRun(["--fail-with-body", origin.address("/gone")])
    #expect(gone.status == 1 && gone.output == "no bird")
    #expect(try await ToolRun(["-f", "--fail-with-body", url]).status == 2)
    let toFile = try await ToolRun(["--fail-with-body", "-o", "none", url])
    #expect(toFile.status == 2 && toFile.errors.contains("no file gets"), "\(toFile.errors)")
    _ = try await ToolRun(["--oauth2-bearer", "t", "--url-query", "a=1", url])
    #expect(origin.requests.last?["Authorization"] == "Bearer t" && origin.requests.last?.target == "/?a=1")
    #expect(try await ToolRun(["-V"]).output.hasPrefix("curlew \(Version.number)\n"))
    await origin.stop()
  }

  @Test func `progress leaves ever fewer lines in a log`() {
    var (wait, waits) = (PlainPace.first, [Duration]())
    while waits.reduce(.zero, +) + wait <= .seconds(3600) {
      waits.append(wait)
      wait = PlainPace.next(after: wait)
    }
    #expect(waits.count == 16 && waits.prefix(3) == [.seconds(5), .seconds(10), .seconds(20)], "\(waits)")
  }
}
