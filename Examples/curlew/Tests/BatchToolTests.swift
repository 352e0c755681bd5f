import CurlewCore
import CurlewDigests
import CurlewTestSupport
import Foundation
import Synchronization
import Testing

@testable import CurlewTool

/// `curlew batch`, run as a process.
@Suite(.timeLimit(.minutes(60))) struct BatchToolTests {
  /// How often the batch of the kill loop is killed, each time when the origin has seen a random number of requests.
  ///
  /// `CURLEW_KILLED_BATCHES` sets another number.
  private static let kills = Int(ProcessInfo.processInfo.environment["CURLEW_KILLED_BATCHES"] ?? "") ?? 8

  /// A folder with a list and a directory for the files.
  final class Place: Sendable {
    let folder: String
    var files: String { folder + "/files" }
    var list: String { folder + "/list" }

    init() throws {
      folder = FileManager.default.temporaryDirectory.path + "/curlew-batch-\(UInt64.random(in: 0 ... .max))"
      try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func write(_ lines: [String]) throws {
      try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: list))
    }

    func bytes(of name: String) -> Data? { FileManager.default.contents(atPath: files + "/" + name) }

    /// The names of all files that are not hidden, with their directories.
    func names() throws -> [String] {
      try FileManager.default.subpathsOfDirectory(atPath: files).filter { path in
        var isDirectory: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: files + "/" + path, isDirectory: &isDirectory)
        return !isDirectory.boolValue && !path.split(separator: "/").contains { $0.hasPrefix(".") }
      }.sorted()
    }

    func run(_ options: String..., input: Data = Data()) async throws -> ToolRun {
      try await ToolRun(["batch", "-O", files, "--progress", "none"] + options, input: input)
    }
  }

  /// The bytes of a path, 1 kB and more.
  static func resource(_ path: String) -> SeededResource {
    let seed = path.utf8.reduce(UInt64(7)) { $0 &* 31 &+ UInt64($1) }
    return SeededResource(length: 1_000 + Int64(seed % 500), seed: seed)
  }

  private static func content(_ path: String) -> Data {
    let resource = resource(path)
    return Data(resource.bytes(count: Int(resource.length)))
  }

  private static func digest(_ path: String) throws -> String {
    "sha-256:" + (try Digest.of(content(path), .sha256).hexadecimal)
  }

  @Test func `a list is fetched once, and what is gone or is another file is fetched again`() async throws {
    let origin = try await ScriptedOrigin.start { Self.resource($0.path).reply(to: $0) }
    let place = try Place()
    var lines = ["# birds", ""] + (0..<20).map { origin.address("/\($0).bin") }
    lines.append(origin.address("/query?a=1") + "\tdeep/er/named.bin\t\(try Self.digest("/query"))")
    try place.write(lines)
    let first = try await place.run(place.list)
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.output.hasPrefix("21 succeeded, 0 failed, 0 skipped; "), "\(first.output)")
    #expect(place.bytes(of: "7.bin") == Self.content("/7.bin"))
    #expect(place.bytes(of: "deep/er/named.bin") == Self.content("/query"))
    #expect(try place.names().count == 21 && origin.requests.count == 21)

    let second = try await place.run(place.list)
    #expect(second.status == 0 && origin.requests.count == 21, "\(second.errors)")
    #expect(second.output.hasPrefix("21 succeeded (21 of them before), 0 failed"), "\(second.output)")

    // Gone; another file of that length; a copy that has the digest; changed in place, to another length and not.
    try FileManager.default.removeItem(atPath: place.files + "/3.bin")
    let other = Data(repeating: 1, count: Self.content("/4.bin").count)
    try other.write(to: URL(filePath: place.files + "/4.bin"), options: .atomic)
    try Self.content("/query").write(to: URL(filePath: place.files + "/deep/er/named.bin"), options: .atomic)
    try (other + other).write(to: URL(filePath: place.files + "/5.bin"))
    try (other + other).prefix(Self.content("/6.bin").count).write(to: URL(filePath: place.files + "/6.bin"))
    // Within one second the time of the change would be the same.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: place.files + "/6.bin")
    // Of files that are not proven none is replaced unless that is asked for; a missing one is fetched.
    let careful = try await place.run(place.list)
    #expect(careful.status == 1 && careful.output.contains("18 succeeded"), "\(careful.output)\(careful.errors)")
    #expect(careful.errors.contains("/4.bin exists") && careful.errors.contains("--replace"), "\(careful.errors)")
    #expect(origin.requests.dropFirst(21).map(\.path) == ["/3.bin"] && place.bytes(of: "4.bin") == other)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: place.files + "/4.bin")
    let third = try await place.run(place.list, "--replace")
    #expect(third.status == 0, "\(third.errors)")
    #expect(origin.requests.dropFirst(22).map(\.path).sorted() == ["/4.bin", "/5.bin", "/6.bin"])
    // What only its owner could read stays so.
    #expect(try LocalFileSystem().status(place.files + "/4.bin")?.permissions == 0o600)
    for name in ["3.bin", "4.bin", "5.bin", "6.bin"] { #expect(place.bytes(of: name) == Self.content("/" + name)) }
    await origin.stop()
  }

  @Test(arguments: [true, false])
  func `a file that appears while its item is downloaded is kept, and is the result if it has the digest`(
    _ isRight: Bool
  ) async throws {
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { Self.resource($0.path).reply(to: $0).pausing(at: gate) }
    let place = try Place()
    try place.write([origin.address("/a.bin") + "\ta.bin\t\(try Self.digest("/a.bin"))"])
    let run = Task { try await place.run(place.list) }
    await gate.reached()
    let other = isRight ? Self.content("/a.bin") : Data("of another program".utf8)
    try other.write(to: URL(filePath: place.files + "/a.bin"))
    let identity = try LocalFileSystem().status(place.files + "/a.bin")?.identity
    gate.open()
    let result = try await run.value
    #expect(result.status == (isRight ? 0 : 1), "\(result.output)\(result.errors)")
    #expect(result.errors.contains("target-exists") == !isRight, "\(result.errors)")
    #expect(place.bytes(of: "a.bin") == other)
    #expect(try LocalFileSystem().status(place.files + "/a.bin")?.identity == identity)
    let names = try FileManager.default.contentsOfDirectory(atPath: place.files)
    #expect(names.filter { $0.contains("a.bin") } == ["a.bin"])
    await origin.stop()
  }

  @Test func `what fails is named with its reason, and is what the next run fetches`() async throws {
    let isWell = Mutex(false)
    let origin = try await ScriptedOrigin.start { request in
      if request.path.hasPrefix("/bad"), !isWell.withLock({ $0 }) { return .status(404, "no") }
      return Self.resource(request.path).reply(to: request)
    }
    let place = try Place()
    try place.write((0..<5).map { origin.address("/good\($0)") } + [origin.address("/bad1"), origin.address("/bad2")])
    let first = try await place.run(place.list)
    #expect(first.status == 1 && first.errors.contains("/bad1: The server answered 404"), "\(first.errors)")
    #expect(first.errors.split(separator: "\n").count { $0.contains("404") } == 2, "\(first.errors)")
    #expect(!first.output.contains("404"), "a failure is printed twice: \(first.output)")
    let silent = try await ToolRun(["batch", "-O", place.files, "--silent", place.list])
    #expect(silent.status == 1 && silent.errors == "", "\(silent.errors)")
    #expect(silent.output.contains("failed bad2: The server answered 404"), "\(silent.output)")
    #expect(first.output.contains("5 succeeded, 2 failed, 0 skipped"), "\(first.output)")
    let status = try await place.run("--status")
    #expect(status.status == 0 && status.output.contains("5 succeeded, 2 failed"), "\(status.output)\(status.errors)")
    let json = try await place.run("--status", "--json")
    let jsonLines = json.output.split(separator: "\n")
    #expect(jsonLines.count == 3 && jsonLines[0].contains(#""items":7"#), "\(json.output)")
    #expect(jsonLines[0].contains(#""failed":2"#) && jsonLines[0].contains(#""complete":true"#))
    #expect(jsonLines.dropFirst().allSatisfy { $0.contains("unacceptable-status") })
    isWell.withLock { $0 = true }
    let count = origin.requests.count
    let second = try await place.run(place.list)
    #expect(second.status == 0 && origin.requests.count == count + 2, "\(second.output)\(second.errors)")
    await origin.stop()
  }

  @Test func `the first failure can end the batch, and the next run does the rest`() async throws {
    let isWell = Mutex(false)
    let origin = try await ScriptedOrigin.start { request in
      if request.path == "/1", !isWell.withLock({ $0 }) { return .status(500, "no") }
      return Self.resource(request.path).reply(to: request)
    }
    let place = try Place()
    try place.write((0..<10).map { origin.address("/\($0)") })
    let first = try await place.run("--stop-on-failure", "--parallel", "1", place.list)
    #expect(first.status == 1 && first.output.contains("1 succeeded, 1 failed, 8 skipped"), "\(first.output)")
    #expect(origin.requests.count == 2)
    isWell.withLock { $0 = true }
    let second = try await place.run("--stop-on-failure", place.list)
    #expect(second.status == 0 && origin.requests.count == 11, "\(second.output)\(second.errors)")
    await origin.stop()
  }

  @Test func `a wrong list is refused with the numbers of its lines, before anything is fetched`() async throws {
    let origin = try await ScriptedOrigin.start { Self.resource($0.path).reply(to: $0) }
    let place = try Place()
    let long = "http://h/" + String(repeating: "x", count: 1 << 20)
    try place.write([origin.address("/a"), "http://h/\0", long, "http://g/a", "http://h/b\t../../b"])
    let run = try await place.run(place.list)
    #expect(run.status == 2 && origin.requests.isEmpty)
    let lines = run.errors.split(separator: "\n")
    #expect(lines.count == 4, "\(run.errors)")
    for (line, number) in zip(lines, [2, 3, 4, 5]) { #expect(line.contains("line \(number): "), "\(line)") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.files) == [])

    try place.write([origin.address("/a")])
    #expect(try await place.run(place.list).status == 0)
    try place.write([origin.address("/b") + "\ta"])
    let changed = try await place.run(place.list)
    #expect(changed.status == 2 && changed.errors.contains("line 1: "), "\(changed.errors)")
    #expect(origin.requests.map(\.path) == ["/a"])
    await origin.stop()
  }

  @Test(arguments: [
    ["list"], ["-O", "d"], ["--json", "list"], ["--workers-per-host", "0", "list"], ["--status", "--store", "memory"],
    ["-o", "f", "list"],
  ]) func `wrong usage ends with 2, and a missing list with 1`(_ arguments: [String]) async throws {
    let run = try await ToolRun(["batch"] + arguments)
    #expect(run.status == (arguments == ["list"] ? 1 : 2), "\(run.errors)")
    #expect(!run.errors.contains("secret"))
  }

  @Test func `a server keeps the state where the program was built with it, and otherwise is wrong usage`() async throws
  {
    let place = try Place()
    try place.write(["http://127.0.0.1:1/a"])
    let run = try await place.run("--store", "postgres://me:secret@127.0.0.1:1/birds", place.list)
    #if PostgreSQL
    #expect(run.status == 1 && run.errors.contains("cannot be reached (127.0.0.1:1"), "\(run.errors)")
    #else
    #expect(run.status == 2 && run.errors.contains("--traits PostgreSQL"), "\(run.errors)")
    #endif
    #expect(!(run.errors + run.output).contains("secret"))
  }

  #if PostgreSQL
  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["CURLEW_POSTGRES"] != nil, "Scripts/with-postgres starts a server"))
  func `processes that share a server fetch each file once, and another one sees the state`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      request.path == "/bad"
        ? .status(404, "no") : Self.resource(request.path).reply(to: request).throttled(to: 20_000)
    }
    let place = try Place()
    try place.write((0..<90).map { origin.address("/\($0)") } + [origin.address("/bad")])
    let address = try #require(ProcessInfo.processInfo.environment["CURLEW_POSTGRES"])
    let store = address + "#tool_\(UInt64.random(in: 0 ... .max))"
    let runs = try await withThrowingTaskGroup(of: ToolRun.self) { group in
      for _ in 0..<3 {
        group.addTask {
          try await place.run("--store", store, "--parallel", "4", "--workers-per-host", "9", place.list)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    for run in runs {
      #expect(run.status == 1 && run.output.contains("90 succeeded"), "\(run.output)\(run.errors)")
      let told = [run.output.contains("failed bad: "), run.errors.contains("/bad: ")]
      #expect(run.output.contains("1 failed") && told.count { $0 } == 1, "\(run.output)\(run.errors)")
    }
    #expect(origin.requests.filter { $0.path != "/bad" }.count == 90)
    #expect(origin.counters.connectionsPeak <= 12)
    for number in 0..<90 { #expect(place.bytes(of: "\(number)") == Self.content("/\(number)")) }
    let status = try await place.run("--store", store, "--status", "--json")
    #expect(status.status == 0 && status.output.contains(#""succeeded":90"#), "\(status.output)\(status.errors)")
    let requests = origin.requests.count
    let again = try await place.run("--store", store, place.list)
    #expect(again.status == 1 && origin.requests.count == requests + 1, "\(again.output)")
    await origin.stop()
  }
  #endif

  @Test func `a list comes from standard input, and its state can stay in memory`() async throws {
    let origin = try await ScriptedOrigin.start { Self.resource($0.path).reply(to: $0) }
    let place = try Place()
    let input = Data((0..<6).map { origin.address("/\($0)") + "\n" }.joined().utf8)
    let run = try await place.run("--store", "memory", "--workers-per-host", "2", "-", input: input)
    #expect(run.status == 0 && run.output.hasPrefix("6 succeeded"), "\(run.output)\(run.errors)")
    #expect(origin.counters.connectionsPeak <= 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.files).sorted() == (0..<6).map { "\($0)" })
    await origin.stop()
  }

  @Test func `a name does not leave the directory over a symbolic link`() async throws {
    let origin = try await ScriptedOrigin.start { Self.resource($0.path).reply(to: $0) }
    let place = try Place()
    try FileManager.default.createDirectory(atPath: place.folder + "/outside", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: place.files + "/out", withDestinationPath: place.folder + "/outside")
    try FileManager.default.createSymbolicLink(
      atPath: place.files + "/file", withDestinationPath: place.folder + "/outside/none")
    try FileManager.default.createDirectory(atPath: place.files + "/real", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: place.files + "/in", withDestinationPath: "real")
    try place.write(["out/a", "out/deep/a", "file", "in/a"].map { origin.address("/x") + "\t" + $0 })
    let run = try await place.run(place.list)
    #expect(run.status == 1 && run.output.contains("1 succeeded, 3 failed"), "\(run.output)\(run.errors)")
    #expect(run.errors.contains("symbolic link that leads out of the directory"), "\(run.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder + "/outside") == [])
    #expect(place.bytes(of: "real/a") == Self.content("/x") && origin.requests.count == 1)
    await origin.stop()
  }

  @Test func `one process works on a store, others are told, and its state can be seen meanwhile`() async throws {
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { request in
      let resource = Self.resource(request.path)
      return OriginReply(
        .head(200, ["Content-Length": "\(resource.length)"]), .fill(resource.pattern, count: 500), .wait(for: gate),
        .fill(resource.pattern, from: 500, count: resource.length - 500))
    }
    let place = try Place()
    try place.write((0..<3).map { origin.address("/\($0)") })
    let first = Task { try await place.run("--parallel", "2", place.list) }
    _ = await origin.until { $0.requests == 2 }
    let second = try await place.run(place.list)
    #expect(second.status == 1 && second.errors.contains("Another process works on the store"), "\(second.errors)")
    let status = try await place.run("--status")
    #expect(status.output.contains("1 ready, 2 running, 0 succeeded"), "\(status.output)\(status.errors)")
    gate.open()
    let run = try await first.value
    #expect(run.status == 0, "\(run.errors)")
    await origin.stop()
  }

  @Test func `an interruption keeps the state, and the next run goes on`() async throws {
    let isSlow = Mutex(true)
    let origin = try await ScriptedOrigin.start { request in
      let reply = SeededResource(length: 400_000, seed: 5).reply(to: request)
      return isSlow.withLock { $0 } ? reply.cut(after: 300_000, by: .stall) : reply
    }
    let place = try Place()
    try place.write((0..<4).map { origin.address("/\($0)") })
    let arguments = ["batch", "-O", place.files, "--progress", "none", place.list]
    let mark = place.folder + "/mark"
    let script = #""$0" "$@" & pid=$!; until [ -e \#(mark) ]; do sleep 0.05; done; kill -TERM $pid; wait $pid"#
    let first = Task { try await ToolRun(arguments, script: script) }
    // Sleeps because another process has no event to wait for.
    while (0..<4).contains(where: { place.bytes(of: ".\($0).curlew-part")?.isEmpty ?? true }) {
      try await Task.sleep(for: .milliseconds(10))
    }
    try Data().write(to: URL(filePath: mark))
    #expect(try await first.value.status == 130)
    isSlow.withLock { $0 = false }
    let second = try await ToolRun(arguments)
    #expect(second.status == 0 && second.output.hasPrefix("4 succeeded"), "\(second.output)\(second.errors)")
    #expect(origin.requests.suffix(4).allSatisfy { $0["Range"] != nil }, "the bytes that were there were fetched again")
    #expect(try place.names() == ["0", "1", "2", "3"])
    await origin.stop()
  }

  /// Answers requests until a number of them has come, and keeps later ones waiting.
  private final class Barrier: Sendable {
    private struct State {
      var left = Int.max
      var gate = OriginGate()
    }

    private let state = Mutex(State())

    /// Lets this many more requests be answered; the gate is reached by the first of the others.
    func set(_ number: Int) -> OriginGate {
      state.withLock { state in
        state = State(left: number)
        return state.gate
      }
    }

    func pass(_ reply: OriginReply) -> OriginReply {
      state.withLock { state in
        state.left -= state.left == .max ? 0 : 1
        return state.left < 0 ? reply.pausing(at: state.gate) : reply
      }
    }
  }

  @Test func `a batch that is killed again and again fetches nothing twice that was complete`() async throws {
    let perKill = 8
    let count = (Self.kills + 1) * perKill
    let barrier = Barrier()
    let origin = try await ScriptedOrigin.start { request in
      barrier.pass(Self.resource(request.path).reply(to: request).throttled(to: 40_000))
    }
    let place = try Place()
    try place.write((0..<count).map { origin.address("/\($0)") })
    let arguments = ["batch", "-O", place.files, "--progress", "none", "--parallel", "3", place.list]
    var random = SeededRandom(seed: UInt64.random(in: 0 ... .max))
    var complete = Set<String>()
    for _ in 0..<Self.kills {
      let requests = origin.requests.count
      // Fewer than are missing, so that the process cannot end before it is killed. At most two others are being received then.
      let gate = barrier.set(Int.random(in: 0..<perKill, using: &random))
      let child = try KillableProcess(ToolRun.tool.path, arguments)
      await gate.reached()
      #expect(child.kill())
      gate.open()
      _ = await origin.until { $0.connectionsOpen == 0 }
      let again = origin.requests.dropFirst(requests).map { String($0.path.dropFirst()) }.filter {
        complete.contains($0)
      }
      #expect(again.isEmpty, "\(again) were complete and were asked for again")
      complete = Set(try place.names())
      for name in complete where Int(name).map({ $0 % 7 == 0 }) ?? false {
        #expect(place.bytes(of: name) == Self.content("/" + name))
      }
    }
    let requests = origin.requests.count
    _ = barrier.set(.max)
    let last = try await ToolRun(arguments)
    #expect(last.status == 0 && last.output.hasPrefix("\(count) succeeded"), "\(last.output)\(last.errors)")
    let again = origin.requests.dropFirst(requests).map { String($0.path.dropFirst()) }.filter { complete.contains($0) }
    #expect(again.isEmpty, "\(again) were complete and were asked for again")
    #expect(try place.names().count == count)
    for number in 0..<count { #expect(place.bytes(of: "\(number)") == Self.content("/\(number)")) }
    await origin.stop()
    print("figure: killed \(Self.kills) times over \(count) files; \(complete.count) were complete before the last run")
  }
}
