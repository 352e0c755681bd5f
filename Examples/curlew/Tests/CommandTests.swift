import CurlewTestSupport
import Testing

/// The built program, as a shell sees it.
@Suite struct CommandTests {
  private func curlew(_ arguments: [String]) async throws -> ToolRun {
    try await ToolRun(arguments)
  }

  @Test func `exit codes say what happened, and errors are one sentence on standard error`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      switch request.path {
      case "/ok": .ok("fine")
      case "/busy": .status(503, "")
      case "/private": .status(401, "")
      default: .status(404, "not here")
      }
    }
    let good = try await curlew(["get", origin.address("/ok")])
    #expect(good.status == 0)
    #expect(good.output == "fine")
    #expect(good.errors == "")

    let refused = try await curlew(["get", origin.address("/none")])
    #expect(refused.status == 1)
    #expect(refused.output == "not here")
    #expect(refused.errors.hasPrefix("curlew: \(origin.address("/none")): The server answered 404"))
    #expect(refused.errors.filter { $0 == "\n" }.count == 1)

    let tries = try await curlew(["get", "--retry", "1", origin.address("/busy")])
    #expect(
      tries.errors.contains("(unacceptable-status, while validating the response, after 2 attempts)"), "\(tries.errors)"
    )
    #expect(tries.errors.hasPrefix("curlew: \(origin.address("/busy")): The server answered 503"), "\(tries.errors)")
    #expect(tries.errors.contains("; attempt 2 in "), "\(tries.errors)")
    #expect(try await curlew(["get", "--silent", "--retry", "1", origin.address("/busy")]).errors == "")
    let stranger = try await curlew(["get", origin.address("/private")])
    #expect(
      stranger.errors.hasSuffix("; give --user or --bearer; if you did, the server refused them.\n"),
      "\(stranger.errors)")

    let usage = try await curlew(["get", "--no-such-option"])
    #expect(usage.status == 2)
    #expect(usage.output == "")
    await origin.stop()
  }

  @Test(arguments: [[], ["get"], ["decode"], ["encode"], ["agent"], ["trust"], ["demo"]])
  func `every command's help shows examples`(arguments: [String]) async throws {
    let help = try await curlew(arguments + ["--help"])
    #expect(help.status == 0)
    #expect(help.output.contains("EXAMPLES\n  "))
  }

  @Test func `the head is printed before the body, and alone for HEAD`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("body", ["X-A": "1"]) }
    let included = try await curlew(["get", "--include", origin.address("/")])
    #expect(included.output.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(included.output.hasSuffix("\r\n\r\nbody"))
    let head = try await curlew(["get", "--head", origin.address("/")])
    #expect(head.output.contains("X-A: 1\r\n"))
    #expect(head.output.hasSuffix("\r\n\r\n"))
    #expect(origin.requests.map(\.method) == ["GET", "HEAD"])
    await origin.stop()
  }
}
