import CurlewCore
import CurlewDigests
import CurlewTestSupport
import Foundation
import Glibc
import Testing

@testable import CurlewTool

/// `curlew get --resume` and `--checksum`, run as processes.
@Suite(.timeLimit(.minutes(15))) struct ResumeTests {
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
    return digest.finish().hexadecimal
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
    let isFirst = Guarded(true)
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

  @Test func `a download without --resume leaves nothing when it fails`() async throws {
    let reply = SeededResource(length: 1_000_000, seed: 1)
    let origin = try await ScriptedOrigin.start { reply.reply(to: $0).cut(after: 500_000) }
    try await inFolder { folder in
      let digest = "sha-256:" + (try sha256(reply))
      let run = try await ToolRun(["get", "--checksum", digest, "-o", folder + "/a", origin.address("/a")])
      #expect(run.status == 1)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }
    await origin.stop()
  }

  /// What the origin has, and how much of it was sent.
  private final class Site: Sendable {
    let current: Guarded<SeededResource>
    init(_ resource: SeededResource) { current = Guarded(resource) }
  }

  @Test func `a download that is killed again and again ends as the right file`() async throws {
    let length: Int64 = 64 << 20
    var random = SeededRandom(seed: UInt64.random(in: 0 ... .max))
    var (kills, readAgain, worst): (Int, Int64, Int64) = (0, 0, 0)
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
          let child = try Killable(ToolRun.tool.path, arguments)
          // Sleeps because a kill at a random instant is what is tested.
          try await Task.sleep(for: .milliseconds(Int.random(in: 0...600, using: &random)))
          own += child.kill() ? 1 : 0
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
        guard !changes else { return }
        let again = origin.counters.bytesSent - length - Int64(origin.counters.requests) * 1_000
        readAgain += max(0, again)
        worst = max(worst, own > 0 ? again / Int64(own) : 0)
      }
      await origin.stop()
    }
    // Counted from outside: what the kernel held for a killed process, and nobody read, is part of it.
    #expect(readAgain <= Int64(kills) << 20, "\(readAgain) bytes were sent again for \(kills) kills")
    #expect(worst <= 4 << 20, "\(worst) bytes were sent again for one kill")
    print(
      "killed \(kills) times over \(Self.killedFiles) files; sent again \(readAgain) bytes, at most \(worst) a kill")
  }
}

/// A process that can be killed.
private struct Killable {
  private let process: pid_t

  init(_ path: String, _ arguments: [String]) throws {
    var process: pid_t = 0
    var texts = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for text in texts { free(text) } }
    let code = posix_spawn(&process, path, nil, nil, &texts, environ)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    self.process = process
  }

  /// Kills it and waits until it is gone; whether it was alive.
  func kill() -> Bool {
    Glibc.kill(process, SIGKILL)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status & 0x7f == SIGKILL
  }
}
