import CurlewCore
import CurlewSerialization
import CurlewTestSupport
import Foundation
import HTTPTypes
import Testing

/// What `curlew get` sends with `--form` and `--part`, and prints with `--decode`.
@Suite struct BodyTests {
  @Test func `a form field that names a file is refused, since curl's long option would send it`() async throws {
    let file = FileManager.default.temporaryDirectory.path + "/curlew-form-\(UInt64.random(in: 0 ... .max))"
    #expect(FileManager.default.createFile(atPath: file, contents: Data("x".utf8)))
    let origin = try await ScriptedOrigin.start { _ in .ok("") }
    let refused = try await ToolRun(["get", "--form", "photo=@\(file)", origin.address("/")])
    #expect(refused.status == 2 && refused.errors.contains("Write -F 'photo=@\(file)'"), "\(refused.errors)")
    try FileManager.default.removeItem(atPath: file)
    #expect(try await ToolRun(["get", "--form", "user=@\(file)", origin.address("/")]).status == 0)
    #expect(origin.requests.count == 1)
    await origin.stop()
  }

  @Test func `form fields are sent in order, urlencoded`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      .ok(request.method + " " + String(decoding: await request.body(), as: UTF8.self))
    }
    let run = try await ToolRun(["get", "--form", "b=1 &", "--form", "a=é", "--form", "b=", origin.address("/")])
    #expect(run.output == "POST b=1%20%26&a=%C3%A9&b=")
    #expect(origin.requests.first?["Content-Type"] == "application/x-www-form-urlencoded")
    #expect(origin.requests.first?["Content-Length"] == "21")
    await origin.stop()
  }

  @Test func `a form comes from a pipe, by standard input and by its path`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      .ok(String(decoding: await request.body(), as: UTF8.self))
    }
    let read = try await ToolRun([origin.address("/")], script: #"echo a=1 | "$0" -d @- -d b=2 "$1""#)
    #expect(read.status == 0 && read.output == "a=1&b=2", "\(read.errors)")
    let named = try await ToolRun([origin.address("/")], script: #"echo a=1 | "$0" -d @/dev/fd/0 "$1""#)
    #expect(named.status == 0 && named.output == "a=1", "\(named.errors)")
    let missing = try await ToolRun(["-d", "@/nowhere/form", origin.address("/")])
    #expect(
      missing.status == 2 && missing.errors.contains("'/nowhere/form' cannot be read as a body: "), "\(missing.errors)")
    await origin.stop()
  }

  @Test func `parts are sent as text and as files, with the exact length`() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + ".png")
    try Data(repeating: 7, count: 100_000).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let origin = try await ScriptedOrigin.start { request in .ok("\(await request.body().count)") }
    let run = try await ToolRun([
      "get", "--part", "a=1;kind=x", "--part", "f=@\(file.path)", "--part", "g=@\(file.path);type=text/plain",
      origin.address("/"),
    ])
    #expect(run.status == 0, "\(run.errors)")
    let request = try #require(origin.requests.first)
    let body = Data(request.received)
    #expect(request["Content-Length"] == String(body.count))
    let type = try #require(MediaType(request["Content-Type"] ?? ""))
    let parts = try await parts(of: body, boundary: #require(type["boundary"]))
    #expect(parts.map(\.name) == ["a", "f", "g"])
    #expect(parts.map(\.type) == [nil, "image/png", "text/plain"])
    #expect(parts.map(\.fileName) == [nil, file.lastPathComponent, file.lastPathComponent])
    #expect(parts.map(\.content) == [Data("1;kind=x".utf8), try Data(contentsOf: file), try Data(contentsOf: file)])
    await origin.stop()
  }

  @Test(
    arguments: [
      ("a=1;type=text/x", "1", "text/x", nil),
      ("a=1;type=text/x;charset=utf-8;filename=b", "1", "text/x;charset=utf-8", "b"),
      (#"a="@1;type=x \"y\\";filename="b;c""#, #"@1;type=x "y\"#, nil, "b;c"), (#"a="1"2"#, #""1"2"#, nil, nil),
      (#"a=""#, #"""#, nil, nil), ("a=", "", nil, nil), ("a=x;y", "x;y", nil, nil), ("a=<FILE", "content", nil, nil),
      ("a=<FILE;type=text/x", "content", "text/x", nil),
      ("a=@FILE;filename=é.png", "content", "application/octet-stream", "é.png"),
      (#"a=@"FILE";type=text/x"#, "content", "text/x", "part"),
    ] as [(String, String, String?, String?)])
  func `a part has the type and the file's name that curl would give it`(
    argument: String, content: String, type: String?, name: String?
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("part")
    try Data("content".utf8).write(to: file)
    let origin = try await ScriptedOrigin.start { request in .ok("\(await request.body().count)") }
    let part = argument.replacing("FILE", with: file.path)
    let run = try await ToolRun(["-F", part, origin.address("/")])
    #expect(run.status == 0, "\(run.errors)")
    let request = try #require(origin.requests.first)
    let boundary = try #require(MediaType(request["Content-Type"] ?? "")?["boundary"])
    let sent = try #require(try await parts(of: Data(request.received), boundary: boundary).first)
    #expect(String(decoding: sent.content, as: UTF8.self) == content)
    #expect(sent.type == type && sent.fileName == name)
    let line = try await ToolRun(["--as-curl", "-F", part, origin.address("/")])
    let curl = try await ToolRun([line.output], script: "eval \"$1\"")
    #expect(curl.status == 0 && origin.requests.count == 2, "\(line.output)")
    let other = try #require(origin.requests.last)
    let mark = try #require(MediaType(other["Content-Type"] ?? "")?["boundary"])
    let same = try #require(try await parts(of: Data(other.received), boundary: mark).first)
    #expect(same.content == sent.content && same.fileName == sent.fileName, "\(line.output)")
    await origin.stop()
  }

  @Test func `a part of the standard input is sent without a length`() async throws {
    let origin = try await ScriptedOrigin.start { request in .ok(String(decoding: await request.body(), as: UTF8.self))
    }
    let run = try await ToolRun(["get", "--part", "a=@-", origin.address("/")], input: Data("input".utf8))
    #expect(run.output.contains("\r\n\r\ninput\r\n--"))
    #expect(origin.requests.first?["Content-Length"] == nil)
    await origin.stop()
  }

  @Test func `a part whose file is missing sends nothing`() async throws {
    let run = try await ToolRun(["get", "--part", "a=@/none", "http://127.0.0.1:1/"])
    #expect(run.status == 2)
    #expect(run.errors.contains("The part 'a' cannot be sent"))
  }

  @Test(arguments: [
    ("json", "text/plain", "{\"a\" : 1.0}", "{\"a\":1.0}\n"),
    ("auto", "application/problem+json; charset=utf-8", "{\"a\" : 1.0}", "{\"a\":1.0}\n"),
    ("auto", "application/x-www-form-urlencoded", "a=1&b=2", "{\"a\":\"1\",\"b\":\"2\"}\n"),
    ("auto", "application/octet-stream", "<plist><true/></plist>", "true\n"),
  ])
  func `a body is decoded by the format named or by its type`(
    format: String, type: String, body: String, output: String
  ) async throws {
    let origin = try await ScriptedOrigin.start { _ in .status(200, Array(body.utf8), type: type) }
    let run = try await ToolRun(["get", "--decode", format, origin.address("/")])
    #expect(run.output == output)
    #expect(run.status == 0, "\(run.errors)")
    await origin.stop()
  }

  @Test func `a body in another charset is decoded`() async throws {
    let latin1: [UInt8] = [0x22, 0xE9, 0x22]
    let origin = try await ScriptedOrigin.start { request in
      .status(200, latin1, type: request.path == "/lie" ? "application/json" : "application/json; charset=iso-8859-1")
    }
    #expect(try await ToolRun(["get", "--decode", "auto", origin.address("/")]).output == "\"é\"\n")
    let lie = try await ToolRun(["get", "--decode", "auto", origin.address("/lie")])
    #expect(lie.status == 1)
    #expect(lie.errors.contains("line 1, column 2: found bytes that are not UTF-8"))
    await origin.stop()
  }

  @Test func `what cannot be decoded is a failure with its place, and prints nothing`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      request.path == "/type" ? .status(200, Array("hm".utf8), type: "x/y") : .json("{\n1}")
    }
    let broken = try await ToolRun(["get", "--decode", "auto", origin.address("/")])
    #expect(broken.status == 1)
    #expect(broken.output == "")
    #expect(broken.errors.contains("line 2, column 1: expected the name of a member in double quotes, found `1`"))
    #expect(broken.errors.contains("(serialization-failed, while decoding the body)"))
    let unknown = try await ToolRun(["get", "--decode", "auto", origin.address("/type")])
    #expect(unknown.status == 1)
    #expect(unknown.errors.contains("No format is known for x/y"))
    let large = try await ToolRun(["get", "--decode", "json", "--max-size", "3", origin.address("/")])
    #expect(large.errors.contains("larger than 3 bytes"))
    await origin.stop()
  }

  @Test func `a body that is cut, or not coded as it says, is not decoded`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      let fields: OriginFields = ["Content-Type": "application/json", "Content-Encoding": "gzip"]
      return request.path == "/cut" ? .lengths("100", body: "[1]") : .ok("[1]", fields)
    }
    for path in ["/cut", "/lie"] {
      let run = try await ToolRun(["get", "--decode", "json", origin.address(path)])
      #expect(run.status == 1)
      #expect(run.output == "")
    }
    await origin.stop()
  }

  @Test func `a refused response is decoded where it can be, else printed as it is`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      request.path == "/json" ? .json("{\"why\" : 1}", status: 422) : .status(500, "oops")
    }
    let explained = try await ToolRun(["get", "--decode", "json", origin.address("/json")])
    #expect(explained.status == 1)
    #expect(explained.output == "{\"why\":1}\n")
    #expect(explained.errors.contains("422"))
    let plain = try await ToolRun(["get", "--decode", "json", origin.address("/")])
    #expect(plain.output == "oops")
    #expect(plain.errors.contains("500"))
    await origin.stop()
  }

  private struct Part {
    var name: String?
    var fileName: String?
    var type: String?
    var content: Data
  }

  private func parts(of body: Data, boundary: String) async throws -> [Part] {
    let chunks = AsyncStream<Data> { stream in
      stream.yield(body)
      stream.finish()
    }
    var parts: [Part] = []
    for try await part in try MultipartParts(chunks, boundary: boundary) {
      let disposition = ContentDisposition(part.fields[.contentDisposition] ?? "", dialect: .formData)
      parts.append(
        Part(
          name: disposition.name, fileName: disposition.parameters["filename"], type: part.fields[.contentType],
          content: try await part.body.collect(upTo: 1 << 20)))
    }
    return parts
  }
}
