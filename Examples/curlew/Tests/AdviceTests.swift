import CurlewTestSupport
import FoundationEssentials
import Testing

@testable import CurlewTool

/// What an error advises, which depends on the options that were given.
@Suite struct AdviceTests {
  @Test(arguments: [429, 500, 502, 503])
  func `advice after a temporary status never names an option that was given, nor the SDK's types`(
    status: Int
  )
    async throws
  {
    let origin = try await ScriptedOrigin.start { _ in .status(status, "busy", ["Retry-After": "0"]) }
    let url = origin.address("/")
    let get = try await ToolRun([url])
    #expect(get.errors.contains("or take --retry."), "\(get.errors)")
    let retried = try await ToolRun(["--retry", "1", url])
    let last = try #require(retried.errors.split(separator: "\n").last)
    #expect(last.contains("after 2 attempts); ") && !last.contains("--retry"), "\(retried.errors)")
    let post = try await ToolRun(["-d", "a=1", url])
    #expect(post.errors.contains("take --retry with -H 'Idempotency-Key: …'"), "\(post.errors)")
    let once = try await ToolRun(["--retry", "1", "-d", "a=1", url])
    #expect(
      once.errors.hasSuffix(
        "; --retry repeats a POST only with -H 'Idempotency-Key: …', by which the server knows it again.\n"),
      "\(once.errors)")
    for run in [get, retried, post, once] { #expect(!run.errors.contains("RetryPolicy") && !run.errors.contains("`")) }
    await origin.stop()
  }

  @Test(arguments: [[], ["--retry", "2"]])
  func `what the server asks to wait is told, and that it is too long for --retry`(options: [String]) async throws {
    let origin = try await ScriptedOrigin.start { _ in .status(503, "busy", ["Retry-After": "3600"]) }
    let run = try await ToolRun(options + [origin.address("/")])
    let most = options.isEmpty ? "" : ", and --retry waits at most 300 s"
    #expect(run.errors.hasSuffix("; try again later; the server asks to wait 3600 s\(most).\n"), "\(run.errors)")
    #expect(origin.requests.count == 1)
    await origin.stop()
  }

  @Test func `a file of which nothing could be kept is told, with the reason`() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/curlew-advice-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for (fields, isTold) in [([:] as OriginFields, true), (["ETag": "\"a\""], false)] {
      let origin = try await ScriptedOrigin.start { _ in
        OriginReply(
          .head(200, fields.merging(["Content-Length": "8000000"])), .body([UInt8](repeating: 7, count: 400_000)))
      }
      let run = try await ToolRun(["-o", folder + "/a", origin.address("/")])
      #expect(run.status == 1 && run.errors.contains("sent neither ETag nor Last-Modified.") == isTold, "\(run.errors)")
      #expect(run.errors.contains(" are kept; run the same command") != isTold, "\(run.errors)")
      await origin.stop()
    }
  }

  @Test func `a POST with an Idempotency-Key is repeated, as its advice says`() async throws {
    let origin = try await ScriptedOrigin.start(script: [.status(503, "busy"), .ok("done")])
    let run = try await ToolRun([
      "-s", "--retry", "1", "-H", "Idempotency-Key: \"k\"", "-d", "a=1", origin.address("/"),
    ])
    #expect(run.status == 0 && run.output == "done" && origin.requests.count == 2, "\(run.errors)")
    await origin.stop()
  }

  @Test func `advice for a transfer that was cut does not name --retry if it was given`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("0123456789").cut(after: 85) }
    let file = FileManager.default.temporaryDirectory.path + "/curlew-advice-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: file) }
    let run = try await ToolRun([
      "--retry", "1", "--checksum", "md5:" + String(repeating: "0", count: 32), "-o", file, origin.address("/"),
    ])
    let last = try #require(run.errors.split(separator: "\n").last)
    #expect(run.status == 1 && !last.contains("--retry"), "\(run.errors)")
    let post = try await ToolRun(["--retry", "1", "-d", "a", "-o", file, origin.address("/")])
    #expect(post.errors.contains("--retry repeats a POST only with -H 'Idempotency-Key: …'"), "\(post.errors)")
    await origin.stop()
  }

  @Test
  func
    `an unknown option is named before the URL that is missing, and a command behind options is said to stand first`()
    async throws
  {
    for (arguments, start) in [
      (["--bogus"], "curlew: Unknown option '--bogus'.\n"),
      (["--silent-x"], "curlew: Unknown option '--silent-x'; did you mean --silent?\n"),
      (["get", "--bogus"], "curlew: Unknown option '--bogus'.\n"),
      (["batch", "--bogus"], "curlew: Unknown option '--bogus'.\n"),
      (["trust", "--bogus"], "curlew: Unknown option '--bogus'.\n"),
      (["decode", "--bogus"], "curlew: Unknown option '--bogus'.\n"),
      (["ws", "--bogus"], "curlew: Unknown option '--bogus'.\n"),
      (["-s"], "curlew: Give at least one URL.\n"),
      (["-k", "trust", "localhost:1"], "curlew: 'trust' is a command, and a command stands first; write curlew trust"),
      (["-v", "decode", "json"], "curlew: 'decode' is a command, and a command stands first;"),
      (["--parallel", "3", "batch", "--workers-per-host", "4", "a"], "curlew: 'batch' is a command, and"),
      (["-s", "help"], "curlew: 'help' is a command, and"),
    ] {
      let run = try await ToolRun(arguments)
      #expect(run.status == 2 && run.output.isEmpty && run.errors.hasPrefix(start), "\(arguments): \(run.errors)")
    }
  }

  @Test func `the tool without arguments prints its usage as an error`() async throws {
    let run = try await ToolRun([])
    #expect(run.status == 2 && run.output.isEmpty && run.errors.contains("USAGE: curlew"), "\(run.errors)")
    #expect(try await ToolRun(["--help"]).status == 0)
  }
}
