import CurlewCore
import CurlewJSON
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewTool

@Suite struct RedirectTests {
  private static let handler: ScriptedOrigin.Handler = { request in
    switch request.path {
    case "/1": .status(302, "moved", ["Location": "/2", "Set-Cookie": "a=b; Path=/; Max-Age=1000"])
    case "/2": .redirect(307, to: "/3")
    case "/odd": .redirect(to: "ftp://host/")
    default: .ok("end \(request.path) \(request["Cookie"] ?? "no cookie")")
    }
  }

  private func withFile(_ body: (String) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.path + "/curlew-redirect-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await body(path)
  }

  @Test func `redirects are followed, counted and reported`() async throws {
    let origin = try await ScriptedOrigin.start(handler: Self.handler)
    try await withFile { report in
      let run = try await ToolRun(["get", "--report", report, origin.address("/1#part")])
      #expect(run.output == "end /3 no cookie")
      #expect(run.status == 0)
      let line = try JSONValue(parsing: try #require(FileManager.default.contents(atPath: report)))
      #expect(line["url"]?.stringValue == origin.address("/1#part"))
      #expect(line["finalURL"]?.stringValue == origin.address("/3#part"))
      #expect(line["redirects"]?.intValue == 2)
      #expect(line["attempts"]?.intValue == 1)
      #expect(line["status"]?.intValue == 200)
    }
    await origin.stop()
  }

  @Test func `redirects are the response, or an error, as the options say`() async throws {
    let origin = try await ScriptedOrigin.start(handler: Self.handler)
    let alone = try await ToolRun(["get", "--no-location", "--include", origin.address("/1")])
    #expect(alone.status == 0)
    #expect(alone.output.hasPrefix("HTTP/1.1 302"))
    #expect(alone.output.hasSuffix("moved"))
    let few = try await ToolRun(["get", "--max-redirects", "1", origin.address("/1")])
    #expect(few.status == 1)
    #expect(few.errors.contains("The server redirects more than 1 times (too-many-redirects"))
    #expect(try await ToolRun(["get", "--max-redirects", "2", origin.address("/1")]).status == 0)
    let odd = try await ToolRun(["get", origin.address("/odd")])
    #expect(odd.status == 1)
    #expect(odd.errors.contains("has a scheme (ftp) that is neither http nor https"))
    #expect(try await ToolRun(["get", "--max-redirects", "-1", origin.address("/1")]).status == 2)
    await origin.stop()
  }

  @Test func `cookies go from one hop and one run to the next`() async throws {
    let origin = try await ScriptedOrigin.start(handler: Self.handler)
    try await withFile { jar in
      #expect(try await ToolRun(["get", "--cookie-jar", jar, origin.address("/1")]).output == "end /3 a=b")
      #expect(try await ToolRun(["get", "--cookie-jar", jar, origin.address("/4")]).output == "end /4 a=b")
      let text = String(decoding: try #require(FileManager.default.contents(atPath: jar)), as: UTF8.self)
      #expect(text.contains("127.0.0.1\tFALSE\t/\tFALSE\t"))
    }
    #expect(try await ToolRun(["get", "--cookie-jar", "/", origin.address("/4")]).status == 1)
    let lost = try await ToolRun(["get", "--cookie-jar", "/no/such/place", origin.address("/1")])
    #expect(lost.status == 1)
    #expect(lost.errors.contains("/no/such"))
    await origin.stop()
  }

  @Test func `an agent follows, answers with the redirect or calls it an error, as was asked`() async throws {
    let origin = try await ScriptedOrigin.start(handler: Self.handler)
    func answers(_ options: [String]) async throws -> [String: JSONValue] {
      let lines = ["follow", "manual", "error"].map { way in
        #"{"id":"\#(way)","url":"\#(origin.address("/1"))","redirect":"\#(way)"}"#
      }
      let plain = #"{"id":"plain","url":"\#(origin.address("/1"))"}"#
      let run = try await ToolRun(
        ["agent"] + options, input: Data((lines + [plain]).joined(separator: "\n").utf8))
      var answers: [String: JSONValue] = [:]
      for line in run.output.split(separator: "\n") {
        let value = try JSONValue(parsing: String(line))
        answers[value["id"]?.stringValue ?? ""] = value
      }
      return answers
    }
    let all = try await answers([])
    #expect(all["follow"]?["finalURL"]?.stringValue == origin.address("/3"))
    #expect(all["plain"]?["finalURL"]?.stringValue == origin.address("/3"))
    #expect(all["manual"]?["status"]?.intValue == 302)
    #expect(all["manual"]?["finalURL"]?.stringValue == origin.address("/1"))
    #expect(all["error"]?["error"]?["kind"]?.stringValue == "invalid-redirect")
    let none = try await answers(["--no-location"])
    #expect(none["follow"]?["status"]?.intValue == 200)
    #expect(none["plain"]?["status"]?.intValue == 302)
    await origin.stop()
  }
}
