import CurlewTestSupport
import Foundation
import Glibc
import Testing

/// `--cache`, through the built program.
@Suite struct CacheTests {
  private static let tool = Bundle.main.bundleURL.appendingPathComponent("curlew")

  /// A running `curlew agent` over a cache.
  private final class Agent {
    private let process = ChildProcess()
    private let (input, output) = (Pipe(), Pipe())

    init(_ directory: String) throws {
      process.arguments = ["agent", "--cache", directory, "--parallel", "8"]
      process.standardInput = input
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      try process.run()
    }

    func ask(_ address: String, _ cache: String) {
      // The agent may have been killed.
      try? input.fileHandleForWriting.write(
        contentsOf: Data(#"{"id":1,"url":"\#(address)","cache":"\#(cache)"}"#.utf8 + [10]))
    }

    func kill() {
      _ = Glibc.kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }

    /// Ends its input and gives its answers.
    func answers() async throws -> [[String: Any]] {
      try input.fileHandleForWriting.close()
      let text = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return text.split(separator: 10).compactMap { (try? JSONSerialization.jsonObject(with: $0)) as? [String: Any] }
    }
  }

  private func withDirectory(_ body: (String) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.path + "/curlew-cache-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try await body(directory)
  }

  @Test func `a later run answers from what an earlier one kept`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("kept", ["Cache-Control": "max-age=60"]) }
    try await withDirectory { directory in
      for expected in [false, true] {
        let agent = try Agent(directory)
        agent.ask(origin.address("/"), "default")
        let answer = try #require(try await agent.answers().first)
        #expect(answer["fromCache"] as? Bool == expected)
        #expect(answer["body"] as? String == Data("kept".utf8).base64EncodedString())
      }
      let agent = try Agent(directory)
      agent.ask(origin.address("/other"), "only-if-cached")
      let answer = try #require(try await agent.answers().first)
      #expect((answer["error"] as? [String: Any])?["kind"] as? String == "not-in-cache")
    }
    #expect(origin.requests.count == 1)
    await origin.stop()
  }

  @Test func `killed at any instant it leaves whole bodies only`() async throws {
    let version = Counter()
    let origin = try await ScriptedOrigin.start { request in
      let number = version.next()
      let size = [10, 3_000, 40_000, 200_000][(Int(request.path.dropFirst()) ?? 0) % 4]
      let word = "\(request.path):\(number);"
      let text = String(repeating: word, count: size / word.utf8.count + 1)
      return .ok(text, ["Cache-Control": "max-age=600", "X-Word": word])
    }
    try await withDirectory { directory in
      var whole = 0
      // On a busy machine the first agents are killed before they have stored anything, so later ones live longer.
      for round in 0..<60 where round < 10 || whole == 0 {
        let agent = try Agent(directory)
        for number in 0..<64 { agent.ask(origin.address("/\(number % 16)"), "reload") }
        try await Task.sleep(for: .milliseconds(20 + round * 9))  // Sleeps because the kill must come at any instant.
        agent.kill()
        let reader = try Agent(directory)
        for number in 0..<16 { reader.ask(origin.address("/\(number)"), "only-if-cached") }
        for answer in try await reader.answers() where answer["error"] == nil {
          let body = String(
            decoding: Data(base64Encoded: answer["body"] as? String ?? "") ?? Data(), as: UTF8.self)
          let fields = (answer["headers"] as? [[String]] ?? []).first { $0.first?.lowercased() == "x-word" }
          let word = fields?.last ?? "none"
          #expect(body == String(repeating: word, count: body.utf8.count / max(1, word.utf8.count)))
          whole += 1
        }
      }
      #expect(whole > 0)
    }
    await origin.stop()
  }
}

/// Counts up.
private final class Counter: @unchecked Sendable {
  // Safe because the lock guards the number.
  private let lock = NSLock()
  private var number = 0

  func next() -> Int {
    lock.withLock {
      number += 1
      return number
    }
  }
}
