import CurlewCore
import CurlewTestSupport
import Foundation
import Glibc
import Testing

@testable import CurlewTool

/// A run whose reader or writer stands still, and which one signal must end.
@Suite(.timeLimit(.minutes(10))) struct StandingReaderTests {
  private func tool(_ arguments: [String]) -> ChildProcess {
    let process = ChildProcess()
    process.arguments = arguments
    (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    process.standardInput = FileHandle.nullDevice
    return process
  }

  /// Interrupts a process once, and returns its status; nil if it goes on.
  private func interrupt(_ process: ChildProcess) async throws -> Int32? {
    kill(process.processIdentifier, SIGINT)
    // Sleeps because another process has no event to wait for.
    for _ in 0..<1_000 where process.isRunning { try await Task.sleep(for: .milliseconds(10)) }
    guard process.isRunning else { return process.terminationStatus }
    kill(process.processIdentifier, SIGKILL)
    return nil
  }

  /// Leaves no byte free in a pipe, so that even a short sentence waits.
  private func fill(_ pipe: Pipe) {
    let own = open("/proc/self/fd/\(pipe.fileHandleForReading.fileDescriptor)", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    while write(own, "a", 1) == 1 {}
    close(own)
  }

  @Test(arguments: [[], ["--retry", "2"], ["-o", "/dev/stdout"], ["--grace", "0.1"]])
  func `a reader that stands still keeps no interrupted run`(options: [String]) async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok([UInt8](repeating: 0x61, count: 4_000_000)) }
    for sharesErrors in [false, true] {
      let process = tool(["get", "--progress", "none"] + options + [origin.address("/")])
      let pipe = Pipe()
      process.standardOutput = pipe
      if sharesErrors { process.standardError = pipe }
      try process.run()
      var (count, quiet): (Int32, Int) = (0, 0)
      // Sleeps because nothing tells that a pipe is full: its bytes are no longer more.
      while process.isRunning, quiet < 10 {
        try await Task.sleep(for: .milliseconds(20))
        let before = count
        _ = ioctl(pipe.fileHandleForReading.fileDescriptor, UInt(FIONREAD), &count)
        quiet = count > 0 && count == before ? quiet + 1 : 0
      }
      fill(pipe)
      #expect(try await interrupt(process) == 130)
    }
    await origin.stop()
  }

  @Test func `a pipe that nobody reads yet keeps no interrupted run`() async throws {
    let pipe = FileManager.default.temporaryDirectory.path + "/curlew-pipe-\(UInt64.random(in: 0 ... .max))"
    #expect(mkfifo(pipe, 0o600) == 0)
    defer { unlink(pipe) }
    let origin = try await ScriptedOrigin.start { _ in .ok("body") }
    let process = tool(["get", "-o", pipe, origin.address("/")])
    try process.run()
    // Sleeps because another process has no event to wait for.
    while process.isRunning, origin.requests.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    #expect(try await interrupt(process) == 130)
    let whole = try await ToolRun(
      [pipe, origin.address("/")], script: #"cat "$1" & "$0" get -o "$1" "$2"; status=$?; wait; exit $status"#)
    #expect(whole.status == 0 && whole.output == "body", "\(whole.errors)")
    await origin.stop()
  }

  @Test func `an input that stays open keeps no interrupted agent`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("body") }
    let process = tool(["agent"])
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data("{\"id\":1,\"url\":\"\(origin.address("/"))\"}\n".utf8))
    let answer = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: output.fileHandleForReading.availableData) }
    }
    #expect(answer.starts(with: Data(#"{"id":1,"status":200"#.utf8)))
    #expect(try await interrupt(process) == 130)
    await origin.stop()
  }

  @Test func `a slow reader gets every byte`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok([UInt8](repeating: 0x61, count: 1_000_000)) }
    let run = try await ToolRun([origin.address("/")], script: #""$0" get "$1" | { sleep 0.3; wc -c; }"#)
    #expect(run.output == "1000000\n", "\(run.errors)")
    await origin.stop()
  }
}
