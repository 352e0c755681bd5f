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
    #expect(refused.errors.hasPrefix("curlew: GET \(origin.address("/none")): The server answered 404"))
    #expect(refused.errors.filter { $0 == "\n" }.count == 1)

    let tries = try await curlew(["get", "--retry", "1", origin.address("/busy")])
    #expect(
      tries.errors.contains("(unacceptable-status, while validating the response, after 2 attempts)"), "\(tries.errors)"
    )
    #expect(
      tries.errors.hasPrefix("curlew: GET \(origin.address("/busy")): The server answered 503"), "\(tries.errors)")
    #expect(tries.errors.contains("; attempt 2 in "), "\(tries.errors)")
    #expect(try await curlew(["get", "--silent", "--retry", "1", origin.address("/busy")]).errors == "")
    let stranger = try await curlew(["get", origin.address("/private")])
    #expect(
      stranger.errors.hasSuffix("; give --user or --bearer.\n"),
      "\(stranger.errors)")

    let usage = try await curlew(["get", "--no-such-option"])
    #expect(usage.status == 2)
    #expect(usage.output == "")
    #expect(usage.errors.hasPrefix("curlew: "), "\(usage.errors)")
    for arguments in [["get"], ["get", "--retry", "x", "http://h/"], ["batch"], ["decode"]] {
      let wrong = try await curlew(arguments)
      #expect(
        wrong.status == 2 && wrong.errors.hasPrefix("curlew: ") && !wrong.errors.contains("Error:"), "\(wrong.errors)")
    }
    await origin.stop()
  }

  @Test(arguments: [[], ["get"], ["decode"], ["encode"], ["agent"], ["trust"], ["demo"]])
  func `every command's help shows examples`(arguments: [String]) async throws {
    let help = try await curlew(arguments + ["--help"])
    #expect(help.status == 0)
    #expect(help.output.contains("EXAMPLES\n  "))
    let usage = help.output.split(separator: "\n").first { $0.hasPrefix("USAGE: ") }
    #expect(usage.map { $0.count <= 80 } == true, "\(usage ?? "")")
  }

  @Test func `a failure of the server's port, password or format ends with what to do`() async throws {
    let other = try await ScriptedOrigin.start { _ in .status(401, "") }
    let elsewhere = other.address("/")
    let origin = try await ScriptedOrigin.start { request in
      switch request.path {
      case "/closed": OriginReply(.close)
      case "/tls": .status(400, "<center>The plain HTTP request was sent to HTTPS port</center>")
      case "/moved": .redirect(to: elsewhere)
      case "/html": .ok("Sign in", type: "text/html")
      case "/circle": .redirect(to: "/again")
      case "/again": .redirect(to: "/circle")
      default: .ok("<!DOCTYPE html><title>Sign in</title>", type: "application/json")
      }
    }
    for (arguments, end) in [
      (["/closed"], "; if the server speaks TLS at this port, write https:// in the URL.\n"),
      (["/tls"], "; the server expects TLS at this port: write https:// in the URL.\n"),
      (["/moved"], "; credentials are not sent after a redirect to another server; request that URL itself.\n"),
      (["--decode", "json", "/page"], "or one that a wrong URL leads to.\n"),
      (["--decode", "auto", "/html"], "or one that a wrong URL leads to.\n"),
    ] {
      let run = try await curlew(arguments.dropLast() + [origin.address(arguments.last ?? "")])
      #expect(run.status == 1 && run.errors.hasSuffix(end), "\(run.errors)")
    }
    let circle = try await curlew([origin.address("/circle")])
    let urls = ["/circle", "/again", "/circle"].map { origin.address($0) }.joined(separator: " → ")
    #expect(circle.errors.contains("in a circle: \(urls) (too-many-redirects"), "\(circle.errors)")
    await origin.stop()
    await other.stop()
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
