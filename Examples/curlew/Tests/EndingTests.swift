import CurlewTestSupport
import Foundation
import Glibc
import Testing

@testable import CurlewTool

/// How the built program ends when its surroundings do not do as wished.
@Suite struct EndingTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/curlew-ending-\(UInt64.random(in: 0 ... .max))"

  private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }

  private func inFolder(_ body: () async throws -> Void) async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body()
  }

  @Test func `a reader that has gone is an error like another`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok(.seeded(1), count: 8 << 20) }
    let run = try await ToolRun(
      ["get", "--progress", "none", origin.address("/")],
      script: #"{ "$0" "$@"; echo "status $?" >&2; } | head -c 1 >/dev/null"#)
    #expect(run.errors.contains("The reader of the standard output has gone"))
    #expect(run.errors.hasSuffix("status 1\n"))
    await origin.stop()
  }

  @Test func `nothing is written into what got the number of a closed stream`() async throws {
    let origin = try await ScriptedOrigin.start { $0.path == "/ok" ? .ok("body") : .status(404, "not here") }
    try await inFolder {
      let stored = try await ToolRun(
        ["get", "-i", "--trace", "-o", folder + "/a", origin.address("/ok")], script: #"exec "$0" "$@" <&- 2>&-"#)
      #expect(stored.status == 0)
      #expect(FileManager.default.contents(atPath: folder + "/a") == Data("body".utf8))
      let printed = try await ToolRun(["get", origin.address("/ok")], script: #"exec "$0" "$@" >&-"#)
      #expect(printed.status == 1)
      #expect(printed.errors.contains("The output cannot be written: Bad file descriptor"))
      let all = try await ToolRun(
        ["get", "-o", folder + "/b", origin.address("/none")], script: #"exec "$0" "$@" <&- >&- 2>&-"#)
      #expect(all.status == 1)
      #expect(names == ["a"])
    }
    await origin.stop()
  }

  @Test func `what was not reached is named: the socket, the proxy or the server`() async throws {
    // A port that nothing listens on any more.
    let gone = try await ScriptedOrigin.start { _ in .ok("") }
    let address = "127.0.0.1:\(gone.port)"
    await gone.stop()
    let missing = try await ToolRun(["get", "--unix-socket", "/nonexistent/socket", "http://h/"])
    #expect(
      missing.errors == "curlew: GET http://h/: No server accepts connections at the Unix socket /nonexistent/socket: "
        + "No such file or directory (connection-failed, while connecting); "
        + "check the path of --unix-socket and that a server listens there.\n")
    let proxied = try await ToolRun(["get", "--proxy", "http://\(address)", "http://h.example/"])
    #expect(
      proxied.errors.hasPrefix("curlew: GET http://h.example/: The connection to the proxy failed"), "\(proxied.errors)"
    )
    #expect(proxied.errors.hasSuffix("; check --proxy and that the proxy runs.\n"))
    let direct = try await ToolRun(["get", "http://\(address)/"])
    #expect(direct.errors.hasSuffix("; check the address, and that the server runs.\n"), "\(direct.errors)")
    #expect([missing.status, proxied.status, direct.status] == [1, 1, 1])
  }

  @Test func `the tool names itself to servers, unless another program is named`() async throws {
    let origin = try await ScriptedOrigin.start { .ok($0["User-Agent"] ?? "none") }
    let url = origin.address("/")
    #expect(try await ToolRun(["get", url]).output == "curlew/\(Version.number)")
    #expect(try await ToolRun(["get", "-H", "User-Agent: other/1", url]).output == "other/1")
    let lines = Data(#"{"id":1,"url":"\#(url)"}"#.utf8)
    let answer = try await ToolRun(["agent"], input: lines).output
    #expect(answer.contains(Data("curlew/\(Version.number)".utf8).base64EncodedString()), "\(answer)")
    await origin.stop()
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a signal ends it with 130 and leaves nothing half done`(number: Int32) async throws {
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { _ in OriginReply(.wait(for: gate)) }
    try await inFolder {
      let process = ChildProcess()
      process.arguments = ["get", "-o", folder + "/a", origin.address("/")]
      process.standardError = FileHandle.nullDevice
      try process.run()
      await gate.reached()
      kill(process.processIdentifier, number)
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          process.waitUntilExit()
          continuation.resume()
        }
      }
      #expect(process.terminationReason == .exit && process.terminationStatus == 130)
      #expect(names.isEmpty)
    }
    await origin.stop()
  }

  @Test(arguments: ["0", "1"])
  func `a signal ends it also while whoever reads its output is slower than the server`(retries: String) async throws {
    let size = 32 << 20
    let origin = try await ScriptedOrigin.start { _ in
      OriginReply(.head(200, ["Content-Length": "\(size)"]), .body(String(repeating: "x", count: size)))
    }
    let process = ChildProcess()
    let output = Pipe()
    process.arguments = ["get", "--progress", "none", "--retry", retries, origin.address("/")]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let count = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var count = 0
        while case let bytes = output.fileHandleForReading.availableData, !bytes.isEmpty {
          if count == 0 { kill(process.processIdentifier, SIGINT) }
          count += bytes.count
          // Sleeps because the reader must be slower than the server.
          Thread.sleep(forTimeInterval: 0.01)
        }
        process.waitUntilExit()
        continuation.resume(returning: count)
      }
    }
    #expect(process.terminationReason == .exit && process.terminationStatus == 130)
    #expect(count < size)
    await origin.stop()
  }

  /// The program, running.
  private struct Running {
    let process = ChildProcess()
    private let errors = Pipe()

    init(_ arguments: [String]) throws {
      process.arguments = arguments
      process.standardError = errors
      try process.run()
    }

    /// Waits for something on standard error.
    func complaint() async -> String {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          continuation.resume(returning: String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self))
        }
      }
    }

    func end() async -> Int32 {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          process.waitUntilExit()
          continuation.resume(returning: process.terminationStatus)
        }
      }
    }
  }

  @Test func `with a grace period what runs is carried to its end after a SIGTERM, and nothing else begins`()
    async throws
  {
    for (paths, status) in [(["/a"], Int32(0)), (["/a", "/b"], 130)] {
      let gate = OriginGate()
      let origin = try await ScriptedOrigin.start { _ in
        OriginReply(.wait(for: gate), .head(200, ["Content-Length": "4"]), .body("body"))
      }
      try await inFolder {
        let options = ["get", "--grace", "60", "--parallel", "1", "--progress", "none", "-O", folder]
        let run = try Running(options + paths.map { origin.address($0) })
        await gate.reached()
        kill(run.process.processIdentifier, SIGTERM)
        #expect(await run.complaint().hasPrefix("curlew: Asked to end: what runs has 60.0 s"))
        gate.open()
        #expect(await run.end() == status)
        #expect(names == ["a"] && FileManager.default.contents(atPath: folder + "/a") == Data("body".utf8))
      }
      #expect(origin.requests.map(\.path) == ["/a"])
      await origin.stop()
    }
  }

  @Test func `when the grace period is over, what runs is cleaned up`() async throws {
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { _ in OriginReply(.wait(for: gate)) }
    try await inFolder {
      let run = try Running(["get", "--grace", "0.1", "--progress", "none", "-O", folder, origin.address("/a")])
      await gate.reached()
      kill(run.process.processIdentifier, SIGTERM)
      #expect(await run.complaint().hasPrefix("curlew: Asked to end: what runs has 0.1 s"))
      #expect(await run.end() == 130)
      #expect(names.isEmpty)
    }
    await origin.stop()
  }

  @Test func `an argument that is not UTF-8 is refused, and nothing else is fetched in its place`() async throws {
    let run = try await ToolRun([], script: #"exec "$0" get "http://127.0.0.1:1/$(printf '\377')""#)
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("curlew: Argument 2 is not UTF-8"))
  }

  @Test(arguments: [
    (["--report", "/proc/none"], "curlew: /proc/none: The report cannot be written: "),
    (["--cookie-jar", "/proc/none"], "curlew: /proc/none: The cookies cannot be written: "),
    (["--cache", "/proc/none"], "curlew: /proc/none: The cache cannot be opened: "),
    (["-O", "/proc/none"], "curlew: "),
  ])
  func `a file that cannot be is one sentence and exit code 1`(arguments: [String], start: String) async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("body", ["Set-Cookie": "a=b"]) }
    let run = try await ToolRun(["get", "--progress", "none"] + arguments + [origin.address("/")])
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix(start))
    #expect(run.errors.filter { $0 == "\n" }.count == 1)
    await origin.stop()
  }
}
