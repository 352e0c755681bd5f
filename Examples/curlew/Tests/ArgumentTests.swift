import ArgumentParser
import CurlewCore
import CurlewCurlTransport
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewTool

@Suite struct ArgumentTests {
  private func get(_ arguments: String...) throws -> Get {
    try #require(try Root.parseAsRoot(["get"] + arguments) as? Get)
  }

  @Test func `query items are added before the fragment and percent-encoded`() throws {
    let get = try get("--query", "q=a b&c", "--query", "é=1", "http://h/p?x=1#top")
    let request = try get.request.request(for: get.urls[0], hasBody: false)
    #expect(request.url.absoluteString == "http://h/p?x=1&q=a%20b%26c&%C3%A9=1#top")
  }

  @Test func `a body makes the method POST and names its type, and fields that were given win`() throws {
    let get = try get("--json", "{}", "-H", "Accept: text/plain", "http://h/")
    var request = try get.request.request(for: "http://h/", hasBody: true)
    try get.body.apply(to: &request)
    #expect(request.method == .post)
    #expect(request.headerFields[.contentType] == "application/json")
    #expect(request.headerFields[.accept] == "text/plain")
    #expect(request.body.length == 2)
  }

  @Test(arguments: [
    ["get"], ["get", "-H", "No colon", "http://h/"], ["get", "-H", "A: b\r\nC: d", "http://h/"],
    ["get", "-X", "GE T", "http://h/"], ["get", "-o", "f", "http://h/1", "http://h/2"],
    ["get", "-o", "f", "-O", "d", "http://h/"], ["get", "--json", "1", "--data", "2", "http://h/"],
    ["get", "--form", "a=1", "--part", "b=2", "http://h/"], ["get", "--form", "a", "http://h/"],
    ["get", "--part", "=b", "http://h/"], ["get", "--part", "a=@f;type=x", "http://h/"],
    ["get", "--decode", "nosuch", "http://h/"], ["get", "--decode", "json", "-o", "f", "http://h/"],
    ["get", "--timeout", "0", "http://h/"], ["get", "--max-size", "5x", "http://h/"],
    ["get", "--parallel", "0", "http://h/"], ["get", "--resolve", "h:80", "http://h/"],
    ["get", "--proxy", "ftp://p/", "http://h/"], ["get", "--http1.1", "--http2", "http://h/"],
    ["get", "--head", "-X", "PUT", "http://h/"], ["nonsense"],
    ["get", "-o", "", "http://h/"], ["get", "-O", "", "http://h/"], ["get", "--report", "", "http://h/"],
    ["get", "--cookie-jar", "", "http://h/"], ["get", "--cache", "", "http://h/"],
    ["get", "--unix-socket", "", "http://h/"], ["get", "--cacert", "", "http://h/"],
    ["get", "--head", "--json", "1", "http://h/"], ["get", "--head", "-O", "f", "http://h/"],
    ["get", "--head", "--decode", "json", "http://h/"], ["get", "--data-binary", "@-", "http://h/1", "http://h/2"],
    ["get", "-d", "1", "--data-binary", "2", "http://h/"], ["get", "-s", "--progress", "bar", "http://h/"],
    ["get", "--resume", "-o", "-", "http://h/"],
    ["get", "--part", "a=@-", "--part", "b=@-", "http://h/"], ["decode", "json", "--xpath", "//a"],
    ["decode", "xml", "--schema", "core"], ["encode", "yaml", "--c14n"],
  ])
  func `wrong usage is refused while parsing`(arguments: [String]) {
    let error = #expect(throws: (any Error).self) { try Root.parseAsRoot(arguments) }
    #expect(error.map { Root.exitCode(for: $0) } == .validationFailure)
  }

  @Test func `HTTP/2 is asked for by name, and the version says whether it is on`() throws {
    #expect(try get("http://h/").request.request(for: "http://h/", hasBody: false).options.version == nil)
    var request = try Request(.get, "https://h/")
    try get("--http2", "https://h/").connection.apply(to: &request)
    #expect(request.options.version == .http2)
    let isOn = CurlTransport.capabilities().contains(.http2)
    #expect(
      Version.text.hasSuffix(
        isOn ? "It speaks HTTP/1.1 and HTTP/2." : "HTTP/2 needs libcurl 8.14 or later, other than 8.16."))
    #expect(Version.text.contains("\nBuilt on libcurl \(CurlTransport.libraryVersion). "))
  }

  @Test func `every registered transport can be chosen by its name, and auto takes what a request needs`() async throws
  {
    #expect(TransportList.names == ["curl", "urlsession"])
    #expect(TransportChoice.allValueStrings == ["curl", "urlsession", "auto"])
    for name in TransportList.names {
      let transport = try get("--transport", name, "http://h/").connection.transport.make(parallel: 1)
      #expect(!(transport is TransportRegistry))
      await transport.shutdown()
    }
    let transport = try get("--transport", "auto", "http://h/").connection.transport.make(parallel: 1)
    #expect(transport is TransportRegistry && transport.capabilities.contains(.unixSocket))
    await transport.shutdown()
    #expect(throws: (any Error).self) { try get("--transport", "pigeon", "http://h/") }
  }

  @Test func `a separator is one whatever combines with it, and blanks around a field's value are not part of it`() {
    #expect(HeaderArgument(argument: "X-A: \t b c \t")?.field.value == "b c")
    #expect(HeaderArgument(argument: "X-A:\u{301}b")?.field.value == "\u{301}b")
    #expect(NameValueArgument(argument: "a=\u{301}b")?.value == "\u{301}b")
    #expect("@\u{301}b".fileReference == "\u{301}b")
  }

  @Test(arguments: [("500", Int64(500)), ("64k", 65_536), ("2M", 2 << 20), ("1G", 1 << 30)])
  func `byte counts take powers of 1024`(text: String, bytes: Int64) {
    #expect(ByteCount(argument: text)?.bytes == bytes)
  }

  @Test func `byte counts that are none, nothing, or too much are refused`() {
    for text in ["", "k", "-1", "0", "9999999999999T", "1.5M"] { #expect(ByteCount(argument: text) == nil) }
  }

  @Test(arguments: [
    ("Example.COM:443:127.0.0.1", "example.com" as String?, 443, "127.0.0.1"), ("*:80:::1", nil, 80, "::1"),
    ("[::1]:8080:[fe80::2]", "::1", 8080, "fe80::2"),
  ])
  func `resolve takes host, port and address`(text: String, host: String?, port: Int, address: String) throws {
    let override = try #require(ResolveArgument(argument: text)).override
    #expect(override == AddressOverride(host: host, port: port, address: address))
  }

  @Test(arguments: [
    (["http://h/"], ["get", "http://h/"]), (["-I", "http://h/"], ["get", "-I", "http://h/"]),
    (["h.example/a"], ["get", "h.example/a"]), (["localhost:80"], ["get", "localhost:80"]),
    (["localhost"], ["get", "localhost"]),
    ([":80"], ["get", ":80"]), (["-V"], ["-V"]),
    (["get", "http://h/"], ["get", "http://h/"]), (["batch", "a.txt"], ["batch", "a.txt"]), ([], []),
    (["--version"], ["--version"]), (["--help"], ["--help"]), (["help", "get"], ["help", "get"]),
    (["bacth"], ["bacth"]),
  ])
  func `a URL without a command is fetched`(arguments: [String], completed: [String]) {
    #expect(Root.completed(arguments) == completed)
  }

  @Test func `short options mean what they mean to curl`() throws {
    let all = try get("-L", "-s", "-S", "-k", "-v", "-i", "-d", "a=1", "-d", "b=2", "http://h/")
    #expect(all.redirects.location && all.reporting.silent && all.reporting.showError && all.trust.insecure)
    #expect(all.reporting.trace && all.output.include && all.body.data == ["a=1", "b=2"])
    #expect(all.reporting.style == .none && all.reporting.printsFailures)
    #expect(try get("-I", "http://h/").request.head)
    #expect(try !get("-s", "http://h/").reporting.printsFailures)
    var request = try Request(.post, "http://h/")
    try all.body.apply(to: &request)
    #expect(request.headerFields[.contentType] == "application/x-www-form-urlencoded" && request.body.length == 7)
  }

  @Test func `files of a form lose their line ends, and other bodies stay as they are`() async throws {
    let path = FileManager.default.temporaryDirectory.path + "/curlew-form-\(UInt64.random(in: 0 ... .max))"
    try Data("a=1\r\n&b=2\n".utf8).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let origin = try await ScriptedOrigin.start { request in
      .ok("\(String(decoding: await request.body(), as: UTF8.self)) \(request["Content-Type"] ?? "-")")
    }
    let url = origin.address("/")
    let form = "application/x-www-form-urlencoded"
    #expect(try await ToolRun(["-d", "@" + path, "-d", "c", url]).output == "a=1&b=2&c \(form)")
    #expect(try await ToolRun(["-d", "@-", url], input: Data("x\n=y".utf8)).output == "x=y \(form)")
    #expect(
      try await ToolRun(["--data-binary", "@" + path, url]).output == "a=1\r\n&b=2\n application/octet-stream")
    await origin.stop()
  }

  @Test(arguments: [
    (["get", "WSS://u:secret@h/"], "'WSS://<redacted>@h/' is the URL of a WebSocket; write curlew ws in front of it."),
    (["get", "./h"], "'./h' is not a URL; write it like https://example.com/birds, or example.com/birds."),
    (["get", "http://u:secret@h/"], "contains a user name or password; give them with --user"),
    (["get", "http://h/a\u{1}b"], "contains a space or a control character"),
    (["get", "ftp://h/"], "Use http or https"),
    (
      ["decode", "jsno"],
      "'jsno' is not a format; did you mean json? The formats are json, plist, xml, yaml, image, form"
    ),
    (["encode", "yml"], "did you mean yaml?"),
    (["gte", "http://h/"], "'gte' is neither a command nor a URL; did you mean get? The commands are get, batch,"),
    (["birds"], "A host alone is written http://birds."),
    (["help", "gte"], "'gte' is not a command; did you mean get? The commands are get, batch,"),
    (["help", "nosuch"], "'nosuch' is not a command. The commands are get, batch,"),
    (["-u", "wader", "http://h/"], "--user has a name without a password, and there is no terminal to ask for it"),
    (["get", "--decode", "nosuch", "http://h/"], "is not a format. The formats"),
  ])
  func `wrong usage says what is right, without secrets, and ends with 2`(
    arguments: [String], part: String
  ) async throws {
    let run = try await ToolRun(arguments)
    #expect(run.status == 2 && run.output.isEmpty)
    #expect(run.errors.replacing("\n", with: " ").contains(part) && !run.errors.contains("secret"), "\(run.errors)")
  }
}
