import CurlewTestSupport
import Foundation
import Testing

@testable import CurlewTool

/// Items behind a URL, as a server receives them.
@Suite final class ItemToolTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/curlew-items-\(UInt64.random(in: 0 ... .max))"

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Answers with the request: method, target, type, and body.
  private static func echo() async throws -> ScriptedOrigin {
    try await ScriptedOrigin.start { request in
      let body = String(decoding: await request.body(), as: UTF8.self)
      return .ok("\(request.method) \(request.target) \(request["Content-Type"] ?? "-") \(body)")
    }
  }

  private func write(_ text: String, _ name: String) throws -> String {
    try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
    return folder + "/" + name
  }

  @Test func `items make the request that HTTPie makes of them`() async throws {
    let origin = try await Self.echo()
    let url = origin.address("/x")
    let text = try write("long\n", "a.txt")
    let json = try write(#"{"b":[1, 2]}"#, "a.json")
    for (arguments, answer) in [
      (
        ["POST", url, "name=Ada", "age:=3", "X-Token:abc", "q==search it"],
        #"POST /x?q=search%20it application/json {"name":"Ada","age":3}"#
      ),
      ([url], "GET /x - "), ([url, "q==1", "X-A:b"], "GET /x?q=1 - "),
      (["get", url, "a=b"], #"POST /x application/json {"a":"b"}"#),
      (["PUT", url, "a=b"], #"PUT /x application/json {"a":"b"}"#), (["delete", url], "DELETE /x - "),
      (
        ["get", "PATCH", url, "on:=true", "no:=null", #"o:={"a":[1.50,"x"]}"#],
        #"PATCH /x application/json {"on":true,"no":null,"o":{"a":[1.50,"x"]}}"#
      ),
      ([url, "a=1", "a=2"], #"POST /x application/json {"a":"2"}"#),
      ([url, "t=@" + text, "j:=@" + json], #"POST /x application/json {"t":"long\n","j":{"b":[1,2]}}"#),
      ([url, "q==@" + text], "GET /x?q=long - "), ([url, #"a\:b=c"#], #"POST /x application/json {"a:b":"c"}"#),
      ([url, "@" + json], #"POST /x application/json {"b":[1, 2]}"#),
      ([url, "@" + text, "Content-Type:text/x"], "POST /x text/x long\n"),
      (
        ["--form", "POST", url, "name=Ada L", "age:=3", "t=@" + text],
        "POST /x application/x-www-form-urlencoded name=Ada%20L&age=3&t=long%0A"
      ),
      ([url, "--form", "a=1", "b=2"], "POST /x application/x-www-form-urlencoded a=1&b=2"),
      (["--json", "POST", url, "a=b"], #"POST /x application/json {"a":"b"}"#),
    ] {
      let run = try await ToolRun(arguments)
      #expect(run.output == answer && run.status == 0, "\(run.errors) after \(arguments)")
    }
    await origin.stop()
  }

  @Test func `items set header fields, and with a file the form is a multipart form`() async throws {
    let origin = try await Self.echo()
    let photo = try write("PNG", "a.png")
    let run = try await ToolRun([
      "--form", origin.address("/"), "name=@it", "photo@\(photo)", "other@\(photo);type=image/x", "X-Token: abc ",
      "X-None;",
      "User-Agent:bird/1", "Host:h.example",
    ])
    #expect(run.status == 2 && run.errors.contains("'it' cannot be read"), "\(run.errors)")
    let sent = try await ToolRun([
      "--form", origin.address("/"), #"name=\@it"#, "photo@\(photo)", "other@\(photo);type=image/x", "X-Token: abc ",
      "X-None;",
      "User-Agent:bird/1",
    ])
    let request = try #require(origin.requests.last)
    #expect(request["X-Token"] == "abc" && request["X-None"] == "" && request["User-Agent"] == "bird/1")
    #expect(sent.output.hasPrefix("POST / multipart/form-data;boundary="), "\(sent.output)")
    for part in [
      "name=\"name\"\r\n\r\n@it\r\n", "filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\nPNG",
      "Content-Type: image/x",
    ] {
      #expect(sent.output.contains(part), "\(part) is not in \(sent.output)")
    }
    let head = try await ToolRun(["head", origin.address("/"), "X-A:b"])
    #expect(head.output.hasPrefix("HTTP/1.1 200 OK\r\n") && origin.requests.last?["X-A"] == "b", "\(head.errors)")
    await origin.stop()
  }

  @Test(arguments: [
    (["a:=x"], "'a:=…' is not JSON; for a text write 'a=…'."), (["a@b"], "'a@…' is a file of a form; add --form"),
    (["--form", "@b"], "'@…' is a whole body"), (["Host:"], "No request can do without the field Host"),
    (["X-A;b"], "has a value behind the semicolon"), (["a[b]=c"], "write the value as JSON, as in a:="),
    (["--form", "a:=[1]"], "which a form cannot hold"), (["a=b", "-d", "c"], "'a=…' is content, which --json, --data"),
    (["@b", "a=b"], "'@…' is a whole body"), (["a b:c"], "holds a space (U+0020)"),
    (["-X", "PUT", "-I", "a=b"], "-I sends a HEAD request"),
    (["myhost:80"], "can be a header field or a host"),
    (["a=@nosuch"], "'nosuch' cannot be read: No such file or directory."),
    (["oops", "a=b"], "'oops' is neither an item, which"), (["--form"], "--form without a field is for items"),
  ])
  func `an item that is wrong is refused in one sentence, without its value`(
    arguments: [String], part: String
  ) async throws {
    let run = try await ToolRun(["http://127.0.0.1:1/"] + arguments)
    #expect(run.status == 2 && run.output.isEmpty && run.errors.contains(part), "\(run.errors)")
    #expect(run.errors.hasPrefix("curlew: "), "\(run.errors)")
  }

  @Test func `a method alone, and one before the URL with --method, are refused`() async throws {
    for word in ["POST", "post"] {
      let alone = try await ToolRun([word])
      #expect(alone.status == 2 && alone.errors == "curlew: '\(word)' is a method; write a URL behind it.\n")
    }
    let twice = try await ToolRun(["PUT", "http://127.0.0.1:1/", "-X", "POST"])
    #expect(twice.status == 2 && twice.errors.contains("PUT before the URL, --method and --head exclude each other."))
  }

  @Test func `the command for curl has the items`() async throws {
    let run = try await ToolRun(["--as-curl", "--show-secrets", "PUT", "http://h.example/", "a=it's", "X-A:b", "q==1"])
    #expect(
      run.status == 0 && run.output.contains("http://h.example/?q=1") && run.output.contains("X-A: b"), "\(run.output)")
    #expect(run.output.contains(#"{"a":"it'\''s"}"#) && run.output.contains("PUT"), "\(run.output)")
  }
}
