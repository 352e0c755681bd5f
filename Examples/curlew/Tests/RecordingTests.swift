import CurlewCore
import CurlewHAR
import CurlewTestSupport
import Foundation
import HTTPTypes
import Testing

/// The options that record, and the command that shows recordings.
@Suite struct RecordingTests {
  private let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "/curlew-recording-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  @Test func `--as-curl prints a command that curl carries out, without secrets, and sends nothing`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      _ = await request.body()
      return .ok("fine")
    }
    let arguments = [
      "get", "--as-curl", "--json", #"{"a":"it's"}"#, "-H", "X-Api-Key: s3cr3t", origin.address("/a?token=s3cr3t"),
    ]
    let hidden = try await ToolRun(arguments)
    #expect(hidden.status == 0)
    #expect(hidden.output.hasPrefix("curl "))
    #expect(!hidden.output.contains("s3cr3t"))
    #expect(hidden.output.contains(#"--data-raw '{"a":"it'\''s"}'"#), "\(hidden.output)")
    #expect(hidden.errors == "curlew: What is <redacted> in the command is hidden; --show-secrets prints it.\n")
    #expect(origin.counters.requests == 0)
    let whole = try await ToolRun(arguments + ["--show-secrets"])
    let run = try await ToolRun([whole.output], script: "eval \"$1\"")
    #expect(run.output == "fine")
    #expect(origin.requests.map(\.target) == ["/a?token=s3cr3t"])
    #expect(origin.requests.map(\.text) == [#"{"a":"it's"}"#])
    #expect(origin.requests.first?["x-api-key"] == "s3cr3t")
    await origin.stop()
  }

  @Test func `a failure with -v ends with the command that repeats the request, without secrets`() async throws {
    let origin = try await ScriptedOrigin.start { _ in OriginReply(.cut) }
    let url = origin.address("/a?token=s3cr3t")
    let quiet = try await ToolRun(["get", url])
    #expect(quiet.status == 1)
    #expect(!quiet.errors.contains("to repeat it"))
    let told = try await ToolRun(["get", "-v", "-H", "X-Api-Key: s3cr3t", url])
    #expect(told.errors.contains("> GET /a?token=<redacted> HTTP/1.1\n"), "\(told.errors)")
    let line = try #require(told.errors.split(separator: "\n").first { $0.hasPrefix("* to repeat it: curl ") })
    #expect(!line.contains("s3cr3t"))
    #expect(line.contains(" '\(origin.address("/a?token=<redacted>"))' "))
    await origin.stop()
  }

  @Test func `get, batch and agent record an archive that inspect shows`() async throws {
    let origin = try await ScriptedOrigin.start { $0.path == "/moved" ? .redirect(to: "/here") : .ok("fine") }
    let path = folder + "/a.har"
    let got = try await ToolRun(["get", "-L", "--har", path, "-H", "Cookie: s3cr3t", origin.address("/moved")])
    #expect(got.output == "fine")
    let entries = try HARDocument(contentsOf: path).entries
    #expect(entries.compactMap { $0.head?.status.code } == [302, 200])
    #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("s3cr3t"))
    let page = try await ToolRun(["inspect", path])
    #expect(page.output == "\(folder)/a.html: 2 requests\n")
    #expect(try String(contentsOfFile: folder + "/a.html", encoding: .utf8).hasPrefix("<!DOCTYPE html>"))
    let shown = try await ToolRun(["inspect", "-o", "-", path])
    #expect(shown.output.hasSuffix("</html>\n"))

    try origin.address("/one").write(toFile: folder + "/list", atomically: false, encoding: .utf8)
    _ = try await ToolRun(["batch", "--store", "memory", "-O", folder + "/out", "--har", path, folder + "/list"])
    #expect(try HARDocument(contentsOf: path).entries.map(\.request.url.lastPathComponent) == ["one"])
    _ = try await ToolRun(
      ["agent", "--har", path], input: Data("{\"id\":1,\"url\":\"\(origin.address("/two"))\"}\n".utf8))
    #expect(try HARDocument(contentsOf: path).entries.map(\.request.url.lastPathComponent) == ["two"])
    await origin.stop()
  }

  @Test func `a program that is killed leaves an archive that can be read`() async throws {
    // One answer never comes, so that the program cannot end before it is killed.
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { request in
      request.path == "/never" ? OriginReply(.wait(for: gate)) : .ok("fine")
    }
    let path = folder + "/killed.har"
    let urls = [origin.address("/never")] + (0..<3_000).map { origin.address("/\($0)") }
    for round in 1...4 {
      let before = origin.counters.requests
      let process = try KillableProcess(
        ToolRun.tool.path, ["get", "-s", "-O", folder + "/killed", "--parallel", "8", "--har", path] + urls)
      await origin.until { $0.requests >= before + 20 * round }
      // Sleeps because another process has no event to wait for: entries are written 2 ms later, if the machine has the time.
      let end = ContinuousClock.now.advanced(by: .seconds(300))
      while (try? HARDocument(contentsOf: path).entries.count) ?? 0 < 20 * round - 16, .now < end {
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(process.kill())
      let document = try HARDocument(contentsOf: path)
      #expect(document.entries.count >= 20 * round - 16)
      #expect(document.entries.allSatisfy { $0.head?.status == .ok })
    }
    await origin.stop()
  }

  @Test func `a file that cannot be used is an error with its reason`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("fine") }
    let refused = try await ToolRun(["get", "--har", folder, origin.address("/")])
    #expect(refused.status == 1)
    #expect(refused.errors.hasPrefix("curlew: \(folder): The archive cannot be written: "))
    #expect(origin.counters.requests == 0)
    try "{}".write(toFile: folder + "/b.har", atomically: false, encoding: .utf8)
    let none = try await ToolRun(["inspect", folder + "/b.har"])
    #expect(none.status == 1)
    #expect(none.errors.contains("is not a HAR"))
    await origin.stop()
  }
}
