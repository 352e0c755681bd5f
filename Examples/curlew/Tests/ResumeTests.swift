import CurlewCore
import CurlewDigests
import CurlewTestSupport
import Foundation
import Glibc
import Synchronization
import Testing

@testable import CurlewTool

/// `curlew get --resume` and `--checksum`, run as processes.
@Suite(.timeLimit(.minutes(60))) struct ResumeTests {
  /// How many files the kill loop downloads; `CURLEW_KILLED_FILES` sets another number.
  private static let killedFiles = Int(ProcessInfo.processInfo.environment["CURLEW_KILLED_FILES"] ?? "") ?? 10

  private func inFolder(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/curlew-resume-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(folder)
  }

  private func sha256(_ resource: SeededResource) throws -> String {
    let digest = try Digest(.sha256)
    for start in stride(from: 0, to: resource.length, by: 1 << 20) {
      resource.bytes(from: start, count: 1 << 20).withUnsafeBytes { digest.update($0) }
    }
    return try digest.finish().hexadecimal
  }

  private func sha256(of path: String) throws -> String {
    try Digest.of(try Data(contentsOf: URL(filePath: path)), .sha256).hexadecimal
  }

  /// A number in one line of a report; nil where the line does not have it.
  private func number(_ member: String, in report: String, line index: Int) throws -> Int64? {
    let lines = try String(contentsOf: URL(filePath: report), encoding: .utf8).split(separator: "\n")
    try #require(lines.count > index)
    return lines[index].components(separatedBy: "\"\(member)\":").dropFirst().first.flatMap { rest in
      Int64(rest.prefix { $0.isNumber })
    }
  }

  @Test func `a second run goes on with what the first has left, and the report says so`() async throws {
    let resource = SeededResource(length: 3_000_000, seed: 3)
    let isFirst = Mutex(true)
    let origin = try await ScriptedOrigin.start { request in
      let first = isFirst.withLock { first in
        defer { first = false }
        return first
      }
      return first ? resource.reply(to: request).cut(after: 2_000_000) : resource.reply(to: request)
    }
    try await inFolder { folder in
      let arguments = [
        "get", "--resume", "-o", folder + "/a", "--report", folder + "/r", origin.address("/a"),
      ]
      let first = try await ToolRun(arguments)
      #expect(first.status == 1 && !FileManager.default.fileExists(atPath: folder + "/a"), "\(first.errors)")
      #expect(first.errors.contains("MB are kept; run the same command to continue"), "\(first.errors)")
      let checked = try await ToolRun(arguments + ["--checksum", "sha-256:" + sha256(resource)])
      #expect(checked.status == 0, "\(checked.errors)")
      #expect(try sha256(of: folder + "/a") == sha256(resource))
      let resumedFrom = try #require(try number("resumedFrom", in: folder + "/r", line: 1))
      #expect(resumedFrom > 0)
      #expect(try number("bytes", in: folder + "/r", line: 1) == 3_000_000)
      #expect(try number("bytesReceived", in: folder + "/r", line: 1) == 3_000_000 - resumedFrom)
      #expect(try String(contentsOf: URL(filePath: folder + "/r"), encoding: .utf8).contains(sha256(resource)))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["a", "r"])
    }
    await origin.stop()
  }

  @Test func `a download that begins anew says why`() async throws {
    let old = SeededResource(length: 400_000, seed: 1).with { $0.entityTag = "\"old\"" }
    let new = SeededResource(length: 400_000, seed: 2).with { $0.entityTag = "\"new\"" }
    let isFirst = Mutex(true)
    let origin = try await ScriptedOrigin.start { request in
      if isFirst.withLock({ first in
        defer { first = false }
        return first
      }) {
        return old.reply(to: request).cut(after: 300_000)
      }
      guard request["Range"] != nil else { return new.reply(to: request) }
      // A server that does not know If-Range, and changed the file.
      return OriginReply(
        .head(206, ["Content-Range": "bytes 1-399999/400000", "Content-Length": "399999", "ETag": "\"new\""]))
    }
    try await inFolder { folder in
      let arguments = ["get", "-o", folder + "/a", origin.address("/a")]
      #expect(try await ToolRun(arguments).status == 1)
      let run = try await ToolRun(arguments)
      #expect(run.status == 0 && run.errors.hasSuffix(" is of a changed file; attempt 2 now.\n"), "\(run.errors)")
      #expect(try sha256(of: folder + "/a") == sha256(new))
    }
    await origin.stop()
  }

  @Test func `two URLs that differ in the query resume each its own file in a directory`() async throws {
    let files = [SeededResource(length: 400_000, seed: 1), SeededResource(length: 400_000, seed: 2)].map { file in
      file.with {
        $0.entityTag = "\"same\""
        $0.fields = ["Content-Disposition": "attachment; filename=f\(file.seed)"]
      }
    }
    let count = Mutex(0)
    let origin = try await ScriptedOrigin.start { request in
      let number = count.withLock { count in
        count += 1
        return count
      }
      let reply = files[request.query == "id=1" ? 0 : 1].reply(to: request)
      return number <= 2 ? reply.cut(after: 200_000) : reply
    }
    try await inFolder { folder in
      let arguments = ["get", "--resume", "-O", folder, origin.address("/f?id=1"), origin.address("/f?id=2")]
      #expect(try await ToolRun(arguments).status == 1)
      let run = try await ToolRun(arguments)
      #expect(run.status == 0, "\(run.errors)")
      for file in files { #expect(try sha256(of: folder + "/f\(file.seed)") == sha256(file)) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["f1", "f2"])
      #expect(origin.requests.count(where: { $0["Range"] != nil }) == 2, "each goes on with its own bytes")
    }
    await origin.stop()
  }

  @Test(
    arguments: ["", "CURLE", "notes of somebody, longer than the head of a journal"],
    // The longest name that the state's name contains.
    ["a", String(repeating: "a", count: 237)])
  func `a damaged state is moved aside, and the download starts over`(state: String, name: String) async throws {
    let resource = SeededResource(length: 100_000, seed: 1)
    let origin = try await ScriptedOrigin.start { resource.reply(to: $0) }
    try await inFolder { folder in
      let place = folder + "/.\(name).curlew-"
      try Data(state.utf8).write(to: URL(filePath: place + "state"))
      try Data(resource.bytes(count: 50_000)).write(to: URL(filePath: place + "part"))
      let run = try await ToolRun(["get", "--resume", "-o", folder + "/" + name, origin.address("/a")])
      #expect(run.status == 0, "\(run.errors)")
      #expect(try sha256(of: folder + "/" + name) == sha256(resource))
      // An empty file is a journal without records.
      #expect(run.errors.contains(place + "damaged") == !state.isEmpty, "\(run.errors)")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      #expect(names == (state.isEmpty ? [name] : [".\(name).curlew-damaged", name]))
    }
    await origin.stop()
  }

  @Test(arguments: [[], ["--resume"]])
  func `a link that leads nowhere is replaced by the file`(options: [String]) async throws {
    let origin = try await ScriptedOrigin.start { SeededResource(length: 1_000, seed: 1).reply(to: $0) }
    try await inFolder { folder in
      try FileManager.default.createSymbolicLink(atPath: folder + "/a", withDestinationPath: "nowhere")
      let run = try await ToolRun(["get"] + options + ["-o", folder + "/a", origin.address("/a")])
      #expect(run.status == 0, "\(run.errors)")
      #expect(try LocalFileSystem().linkStatus(folder + "/a")?.kind == .regular)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a"])
    }
    await origin.stop()
  }

  @Test(arguments: [[], ["--resume"]])
  func `a file that only its owner can read stays so when it is replaced`(options: [String]) async throws {
    let origin = try await ScriptedOrigin.start { SeededResource(length: 1_000, seed: 1).reply(to: $0) }
    try await inFolder { folder in
      #expect(
        FileManager.default.createFile(atPath: folder + "/a", contents: nil, attributes: [.posixPermissions: 0o600]))
      let run = try await ToolRun(["get"] + options + ["-o", folder + "/a", origin.address("/a")])
      #expect(run.status == 0, "\(run.errors)")
      #expect(try LocalFileSystem().status(folder + "/a")?.permissions == 0o600)
    }
    await origin.stop()
  }

  @Test func `an attempt in which no byte moves is given up after --idle-timeout`() async throws {
    // The item of a batch is tried again, and its second answer is whole.
    let asked = Mutex(0)
    let file = SeededResource(length: 9, seed: 1)
    let origin = try await ScriptedOrigin.start { request in
      let times = asked.withLock { asked in
        if request.path == "/b" { asked += 1 }
        return asked
      }
      guard request.path == "/b", times == 2 else { return OriginReply(.head(200, ["Content-Length": "9"]), .stall) }
      return file.reply(to: request)
    }
    try await inFolder { folder in
      for command in [["get", "-o", folder + "/a"], ["get"]] {
        let run = try await ToolRun(command + ["--idle-timeout", "0.2", "--progress", "none", origin.address("/a")])
        #expect(run.status == 1 && run.errors.contains("idle-timed-out"), "\(command): \(run.errors)")
      }
      let list = folder + "/list"
      try Data(origin.address("/b").utf8).write(to: URL(filePath: list))
      let batch = try await ToolRun(["batch", "-O", folder, "--idle-timeout", "0.2", "--progress", "none", list])
      #expect(batch.status == 0, "\(batch.errors)")
      #expect(try Data(contentsOf: URL(filePath: folder + "/b")).count == 9)
      #expect(asked.withLock { $0 } == 2)
      let line = Data("{\"id\":1,\"url\":\"\(origin.address("/c"))\"}\n".utf8)
      let agent = try await ToolRun(["agent", "--idle-timeout", "0.2"], input: line)
      #expect(agent.output.contains("idle-timed-out"), "\(agent.output)\(agent.errors)")
    }
    for wrong in ["0", "-1", "x"] {
      #expect(try await ToolRun(["get", "--idle-timeout", wrong, origin.address("/a")]).status == 2)
    }
    await origin.stop()
  }

  @Test func `a wrong checksum leaves no file, and one that is none is refused`() async throws {
    let origin = try await ScriptedOrigin.start { SeededResource(length: 1_000, seed: 1).reply(to: $0) }
    try await inFolder { folder in
      let zeros = "sha-256:" + String(repeating: "0", count: 64)
      let run = try await ToolRun(["get", "--checksum", zeros, "-O", folder, origin.address("/a")])
      #expect(run.status == 1 && run.errors.contains("digest-mismatch"), "\(run.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }
    for arguments in [["--checksum", "sha-256:12", "-o", "x"], ["--resume"], ["--checksum", "md4:00", "-o", "x"]] {
      #expect(try await ToolRun(["get", origin.address("/a")] + arguments).status == 2, "\(arguments)")
    }
    #expect(origin.requests.count == 1)
    await origin.stop()
  }

  @Test func `without --resume, a file that is cut off is gone on with, and after another failure nothing is left`()
    async throws
  {
    let resource = SeededResource(length: 1_000_000, seed: 1)
    let origin = try await ScriptedOrigin.start { request in
      let reply = resource.reply(to: request)
      return request["Range"] == nil && request.path == "/a" ? reply.cut(after: 500_000) : reply
    }
    try await inFolder { folder in
      let device = try await ToolRun(["get", "-o", "/dev/null", origin.address("/a")])
      #expect(device.status == 1 && !device.errors.contains("kept"), "\(device.errors)")
      let coded = try await ToolRun(["get", "--compressed", "-o", folder + "/a", origin.address("/a")])
      #expect(coded.status == 1 && !coded.errors.contains("kept"), "\(coded.errors)")
      let wrong = ["--checksum", "sha-256:" + String(repeating: "0", count: 64)]
      let refused = try await ToolRun(["get"] + wrong + ["-o", folder + "/b", origin.address("/b")])
      #expect(refused.status == 1 && refused.errors.contains("digest-mismatch"), "\(refused.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
      let arguments = ["get", "-o", folder + "/a", origin.address("/a")]
      let run = try await ToolRun(arguments)
      #expect(
        run.status == 1 && run.errors.contains("kB are kept; run the same command to continue, or take --retry"),
        "\(run.errors)")
      let again = try await ToolRun(arguments)
      #expect(again.status == 0 && origin.requests.last?["Range"] != nil, "\(again.errors)")
      #expect(try sha256(of: folder + "/a") == sha256(resource))
      let count = origin.requests.count
      let retried = try await ToolRun(["get", "--retry", "1", "-o", folder + "/c", origin.address("/a")])
      #expect(retried.status == 0 && origin.requests.count == count + 2, "\(retried.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["a", "c"])
    }
    await origin.stop()
  }

  /// What the origin has, and how much of it was sent.
  private final class Site: Sendable {
    let current: Mutex<SeededResource>
    init(_ resource: SeededResource) { current = Mutex(resource) }
  }

  @Test func `a download that is killed again and again ends as the right file`() async throws {
    let length: Int64 = 64 << 20
    var random = SeededRandom(seed: UInt64.random(in: 0 ... .max))
    var (kills, sentAgain): (Int, Int64) = (0, 0)
    var readAgain: [Int64] = []
    for number in 0..<Self.killedFiles {
      let site = Site(SeededResource(length: length, seed: UInt64(number)))
      let origin = try await ScriptedOrigin.start(.with { $0.sendBuffer = 65_536 }) { request in
        site.current.withLock { $0 }.reply(to: request).throttled(to: 48 << 20)
      }
      let changes = number % 10 == 9
      try await inFolder { folder in
        let arguments = ["get", "--resume", "--progress", "none", "-o", folder + "/a", origin.address("/a")]
        let planned = Int.random(in: 1...5, using: &random)
        var own = 0
        for round in 0..<planned {
          let child = try KillableProcess(ToolRun.tool.path, arguments)
          let requests = origin.counters.requests
          // Sleeps because a kill at a random instant is what is tested.
          try await Task.sleep(for: .milliseconds(Int.random(in: 0...600, using: &random)))
          // Two of three are stopped first, so that what they have read can be counted; the others die in the middle of a call.
          if round % 3 == 2 {
            own += child.kill() ? 1 : 0
          } else if let read = try await child.kill(countingBytesFrom: origin.port) {
            own += 1
            let start = origin.requests.last?["Range"].flatMap { Int64($0.dropFirst(6).dropLast()) } ?? 0
            let kept = try LocalFileSystem().status(folder + "/.a.curlew-part")?.length
            if origin.counters.requests > requests, let kept, !changes { readAgain.append(start + read - kept) }
          }
          if changes, round == 0 {
            site.current.withLock { $0 = SeededResource(length: length - 5, seed: UInt64(1_000 + number)) }
          }
        }
        let run = try await ToolRun(arguments)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try sha256(of: folder + "/a") == sha256(site.current.withLock { $0 }), "file \(number)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a"])
        _ = await origin.until { $0.connectionsOpen == 0 }
        kills += own
        if !changes { sentAgain += max(0, origin.counters.bytesSent - length) }
      }
      await origin.stop()
    }
    let worst = readAgain.max() ?? 0
    // Each counts the head of its response too, which is less than a kilobyte.
    #expect(worst <= 1 << 20, "\(worst) bytes that a process had read were read again")
    #expect(readAgain.allSatisfy { $0 >= 0 }, "bytes were kept that were never read: \(readAgain)")
    let mean = readAgain.reduce(0, +) / Int64(max(1, readAgain.count))
    print(
      "figure: killed \(kills) times over \(Self.killedFiles) files; of \(readAgain.count) counted, read again at most \(worst) bytes "
        + "a kill, \(mean) on average; sent again \(sentAgain) bytes in all, with what the kernel held and nobody had read"
    )
  }

  @Test func `of two processes with one target one works, and the other is told`() async throws {
    let resource = SeededResource(length: 3_000_000, seed: 3)
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { request in
      OriginReply(
        .head(200, ["Content-Length": "3000000", "ETag": resource.entityTag ?? ""]),
        .fill(resource.pattern, count: 1_000_000), .wait(for: gate),
        .fill(resource.pattern, from: 1_000_000, count: 2_000_000))
    }
    try await inFolder { folder in
      let arguments = ["get", "--resume", "--progress", "none", "-o", folder + "/a", origin.address("/a")]
      let first = Task { try await ToolRun(arguments) }
      _ = await origin.until { $0.requests == 1 }
      let second = try await ToolRun(arguments)
      #expect(second.status == 1 && second.errors.contains("target-in-use"), "\(second.errors)")
      #expect(origin.counters.requests == 1, "the second sent a request")
      gate.open()
      let run = try await first.value
      #expect(run.status == 0, "\(run.errors)")
      #expect(try sha256(of: folder + "/a") == sha256(resource))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a"])
    }
    await origin.stop()
  }
}
