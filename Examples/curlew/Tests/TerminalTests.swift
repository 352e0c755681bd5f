import CurlewCore
import CurlewTestSupport
import Foundation
import Glibc
import Testing

@testable import CurlewTool

/// What a person at a terminal sees and keeps.
@Suite(.timeLimit(.minutes(10))) struct TerminalTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/curlew-terminal-\(UInt64.random(in: 0 ... .max))"

  private func inFolder(_ body: () async throws -> Void) async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body()
  }

  /// Runs the tool with a terminal as its standard streams (script(1)).
  private static func onTerminal(_ arguments: [String]) async throws -> ToolRun {
    try await ToolRun(arguments, script: #"export T="$0"; for a; do T="$T '$a'"; done; script -qec "$T" /dev/null"#)
  }

  @Test(arguments: [
    ([0x89, 0x50, 0x4E, 0x47, 0] as [UInt8], nil as String?, true), (Array("plain\t\r\n\u{1B}[1m é".utf8), nil, false),
    (Array("é".utf8.dropLast()), "application/json", false), ([0xE9, 0x20], "text/plain;charset=latin1", false),
    ([0xE9, 0x20, 0x20, 0x20, 0x20], nil, true), ([], nil, false),
    (Array(repeating: 0x61, count: 2_000) + [0], "x/y", false),
  ])
  func `a body is binary if it has a NUL or is not UTF-8`(bytes: [UInt8], type: String?, isBinary: Bool) {
    bytes.withUnsafeBytes { #expect(BinaryContent.isBinary($0, type.flatMap { MediaType($0) }) == isBinary) }
  }

  @Test func `a binary body is not written to a terminal unless that is said`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      request.path == "/text" ? .ok("a text") : .ok([0x89, 0x50, 0, 1], type: "image/png")
    }
    let refused = try await Self.onTerminal([origin.address("/")])
    let sentence = refused.output.replacing("\r\n  ", with: " ")
    #expect(refused.status == 1 && sentence.contains("not text (image/png, 4 B)"), "\(sentence)")
    #expect(sentence.contains("-o FILE, or print it with -o -"))
    #expect(refused.output.unicodeScalars.allSatisfy { $0 != "\0" })
    let asked = try await Self.onTerminal(["-o", "-", origin.address("/")])
    #expect(asked.status == 0 && asked.output.unicodeScalars.contains("\0"), "\(asked.output)")
    #expect(try await Self.onTerminal([origin.address("/text")]).output.contains("a text"))
    #expect(try await ToolRun([origin.address("/")]).output.unicodeScalars.contains("\0"))
    await origin.stop()
  }

  @Test func `a written file is named with its size and its time on a terminal`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("a body") }
    try await inFolder {
      let file = folder + "/a"
      for arguments in [["-o", file], ["--resume", "-o", file], ["-O", folder]] {
        let output = try await Self.onTerminal(arguments + [origin.address("/a")]).output
        #expect(output.contains(/\/a(\.txt)?: 6 B in [0-9]\.[0-9] s\r\n/), "\(output)")
      }
      #expect(try await Self.onTerminal(["-s", "-o", file, origin.address("/")]).output == "")
      let piped = try await ToolRun(["-o", file, origin.address("/")])
      #expect(piped.output == "" && piped.errors == "")
    }
    await origin.stop()
  }

  @Test func `JSON on a terminal has all its members, also those with one name`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok(Array(#"{"a":1,"a":[2]}"#.utf8), type: "application/json") }
    let run = try await ToolRun(
      [origin.address("/")], script: #"NO_COLOR=1 exec script -qec "$0 '$1'" /dev/null"#)
    #expect(run.output.replacing("\r\n", with: "\n") == "{\n  \"a\": 1,\n  \"a\": [\n    2\n  ]\n}\n", "\(run.output)")
    await origin.stop()
  }

  @Test func `a sentence is broken at words on a terminal, and is one line elsewhere`() async throws {
    let arguments = ["--connect-timeout", "5", "http://127.0.0.1:1/"]
    let lines = try await Self.onTerminal(arguments).output.split(separator: "\r\n")
    #expect(lines.count > 1 && lines.allSatisfy { $0.count <= 80 }, "\(lines)")
    let piped = try await ToolRun(arguments).errors
    #expect(piped == lines.map { $0.drop { $0 == " " } }.joined(separator: " ") + "\n", "\(piped)")
  }

  @Test func `decoded JSON is laid out on a terminal, and is one line elsewhere`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .json(#"{"a":[1]}"#) }
    let output = try await Self.onTerminal(["--decode", "json", origin.address("/")]).output
    let plain = output.replacing("\r\n", with: "\n").replacing(/\u{1B}\[[0-9]+m/, with: "")
    #expect(plain == "{\n  \"a\": [\n    1\n  ]\n}\n", "\(output)")
    #expect(try await ToolRun(["--decode", "json", origin.address("/")]).output == "{\"a\":[1]}\n")
    await origin.stop()
  }

  @Test func `a body of JSON is laid out on a terminal, and stays as it is elsewhere`() async throws {
    let texts = ["/": #"{"a": [1.0]}"#, "/broken": #"{"a": [1.0"#, "/text": #"{"a": [1.0]}"#]
    let origin = try await ScriptedOrigin.start { request in
      .ok(texts[request.path] ?? "", type: request.path == "/text" ? "text/plain" : "application/problem+json")
    }
    func plain(_ arguments: [String]) async throws -> String {
      try await Self.onTerminal(arguments).output.replacing("\r\n", with: "\n").replacing(/\u{1B}\[[0-9]+m/, with: "")
    }
    #expect(try await plain([origin.address("/")]) == "{\n  \"a\": [\n    1.0\n  ]\n}\n")
    #expect(try await plain([origin.address("/broken")]).hasPrefix(#"{"a": [1.0"#))
    #expect(try await plain([origin.address("/text")]).hasPrefix(#"{"a": [1.0]}"#))
    #expect(try await plain(["-o", "-", origin.address("/")]).hasPrefix(#"{"a": [1.0]}"#))
    #expect(try await ToolRun([origin.address("/")]).output == #"{"a": [1.0]}"#)
    await origin.stop()
  }

  @Test func `a password that is missing is asked for, and not shown`() async throws {
    let expected = "Basic " + Data("wader:tern 7".utf8).base64EncodedString()
    let origin = try await ScriptedOrigin.start { request in
      request["Authorization"] == expected
        ? .ok("welcome") : .status(401, "who?", ["WWW-Authenticate": "Basic realm=\"r\""])
    }
    try await inFolder {
      for (keys, status) in [("tern 7\\n", 0), ("wrong\\n", 1), ("\\003", 130)] as [(String, Int32)] {
        // Sleeps because the terminal has no event for a question that stands on it.
        let script = """
          { until grep -q 'Password of wader' "$2"; do sleep 0.05; done; printf '\(keys)'; } |
            script -qefc "$0 -u wader $1" "$2"
          """
        let typescript = folder + "/\(status)"
        try Data().write(to: URL(filePath: typescript))
        let run = try await ToolRun([origin.address("/"), typescript], script: script)
        #expect(run.status == status && run.output.contains("welcome") == (status == 0), "\(run.output)")
        #expect(!run.output.contains("tern") && !run.output.contains("wrong"), "\(run.output)")
      }
    }
    await origin.stop()
  }

  @Test func `an error stands below a body that ends without a line break`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      .status(404, request.path == "/ended" ? "no such bird\n" : "no such bird")
    }
    for path in ["/ended", "/open"] {
      let output = try await Self.onTerminal([origin.address(path)]).output.replacing("\r\n", with: "\n")
      #expect(output.hasPrefix("no such bird\ncurlew: "), "\(output)")
    }
    #expect(try await ToolRun([origin.address("/open")]).output == "no such bird")
    await origin.stop()
  }

  @Test func `an output that cannot be written is refused before the request`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("body") }
    try await inFolder {
      try Data("x".utf8).write(to: URL(filePath: folder + "/file"))
      for arguments in [
        ["-o", folder + "/none/a"], ["-o", folder], ["-o", folder + "/file/a"], ["-O", folder + "/file"],
        ["-O", folder + "/file/below"], ["--resume", "-o", folder + "/none/a"],
      ] {
        let run = try await ToolRun(arguments + [origin.address("/")])
        #expect(run.status == 1 && run.errors.contains(": The output cannot be written: "), "\(run.errors)")
      }
      let report = folder + "/report"
      _ = try await ToolRun(["--report", report, "-o", folder, origin.address("/")])
      let line = try String(contentsOf: URL(filePath: report), encoding: .utf8)
      #expect(
        line.hasPrefix(#"{"url":"\#(origin.address("/"))","bytes":0,"error":{"kind":"file-error","stage":"preparing""#))
      #expect(origin.requests.isEmpty)
      for arguments in [["-o", folder + "/a"], ["-O", folder + "/new/er"], ["-o", "/dev/null"], ["-O", folder]] {
        #expect(try await ToolRun(arguments + [origin.address("/b")]).status == 0, "\(arguments)")
      }
    }
    await origin.stop()
  }

  @Test func `what is not verified is said, and --silent hides it with all other warnings`() async throws {
    let root = try TestIdentity.authority()
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(try root.issue())) { _ in .ok("body") }
    let run = try await ToolRun(["-k", origin.address("/")])
    #expect(run.status == 0 && run.output == "body")
    #expect(run.errors.hasPrefix("curlew: Warning: --insecure accepts any certificate"), "\(run.errors)")
    for option in ["-sk", "-sSk"] { #expect(try await ToolRun([option, origin.address("/")]).errors == "") }
    let strict = try await ToolRun(["-s", origin.address("/")])
    #expect(strict.status == 1 && strict.errors == "" && strict.output == "")
    #expect(try await ToolRun(["-sS", origin.address("/")]).errors.contains("server-trust-refused"))
    await origin.stop()
  }

  /// Starts the tool, interrupts it when the condition holds, and returns its status and what it printed.
  private func interrupted(
    _ arguments: [String], when isReady: () async throws -> Bool
  ) async throws -> (status: Int32, output: String) {
    let process = ChildProcess()
    let output = Pipe()
    process.arguments = arguments
    process.standardError = output
    process.standardOutput = output
    try process.run()
    // Another process has no event to wait for.
    while try await !isReady(), process.isRunning { try await Task.sleep(for: .milliseconds(10)) }
    kill(process.processIdentifier, SIGINT)
    let text = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        continuation.resume(returning: text)
      }
    }
    return (process.terminationStatus, text)
  }

  /// An answer whose first half comes at once and whose second half never does.
  ///
  /// - Parameter validators: The fields that say what the body is a part of.
  private static func half(_ gate: OriginGate, _ validators: OriginFields = ["ETag": "\"a\""]) -> OriginReply {
    let fields: OriginFields = ["Content-Length": "8000000", "Accept-Ranges": "bytes"]
    return OriginReply(
      .head(200, fields.merging(validators)), .body([UInt8](repeating: 7, count: 4_000_000)), .wait(for: gate))
  }

  private func keptBytes(of name: String) -> Int {
    let path = folder + "/.\(name).curlew-part"
    return (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
  }

  /// Whether a file that does not belong to the name has bytes, whatever it is called while it is written.
  private func hasBytes(exceptOf name: String) -> Bool {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.contains { other in
      let size = try? FileManager.default.attributesOfItem(atPath: folder + "/" + other)[.size] as? Int
      return !other.hasPrefix(".\(name).") && size ?? 0 > 0
    }
  }

  @Test func `an interrupted download says what was kept and how to go on`() async throws {
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { request in
      switch request.path {
      // It fits into a pipe that nobody reads yet. In a full one, the sentence would find no place.
      case "/c":
        OriginReply(
          .head(200, ["Content-Length": "8000"]), .body([UInt8](repeating: 7, count: 4_000)), .wait(for: gate))
      case "/d": Self.half(gate, [:])
      default: Self.half(gate)
      }
    }
    try await inFolder {
      let kept = try await interrupted(["--resume", "-o", folder + "/a", origin.address("/a")]) {
        keptBytes(of: "a") > 0
      }
      #expect(kept.status == 130)
      #expect(
        kept.output.contains(
          " of a are kept in \(folder)/.a.curlew-part. Run the same command to continue."), "\(kept.output)")
      #expect(!kept.output.contains("failed") && keptBytes(of: "a") > 0)
      let plain = try await interrupted(["-o", folder + "/e", origin.address("/e")]) { keptBytes(of: "e") > 0 }
      #expect(plain.status == 130 && keptBytes(of: "e") > 0)
      #expect(
        plain.output.contains(" of e are kept in \(folder)/.e.curlew-part. Run the same command to continue."),
        "\(plain.output)")
      for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix(".e.") {
        try FileManager.default.removeItem(atPath: folder + "/" + name)
      }
      let lost = try await interrupted(["--compressed", "-o", folder + "/b", origin.address("/b")]) {
        hasBytes(exceptOf: "a")
      }
      #expect(lost.status == 130)
      #expect(lost.output.contains(/curlew: Interrupted after [0-9.]+ .?B\.\n$/), "\(lost.output)")
      #expect(!hasBytes(exceptOf: "a"))
      let printed = try await interrupted([origin.address("/c")]) { origin.requests.contains { $0.path == "/c" } }
      let end = printed.output.suffix(110)
      #expect(
        end.contains(/curlew: Interrupted( after [0-9.]+ .?B; with -o FILE it would be kept)?\.\n$/),
        "\(printed.status) \(end) \(origin.requests.map(\.path))")
      let silent = try await interrupted(["-s", "-o", folder + "/f", origin.address("/f")]) { keptBytes(of: "f") > 0 }
      #expect(silent.status == 130 && silent.output.replacing("^C", with: "").isEmpty, "\(silent.output)")
      // Without a validator nothing says that the rest would belong to these bytes.
      let unproved = try await interrupted(["--resume", "-o", folder + "/d", origin.address("/d")]) {
        keptBytes(of: "d") > 0
      }
      #expect(
        unproved.output.contains("nothing of an incomplete file could be kept") && keptBytes(of: "d") == 0,
        "\(unproved.output)")
    }
    gate.open()
    await origin.stop()
  }

  @Test func `an interrupted batch says how many items are done, and that the same command continues`() async throws {
    let gate = OriginGate()
    let origin = try await ScriptedOrigin.start { request in request.path == "/c" ? Self.half(gate) : .ok("body") }
    try await inFolder {
      let list = folder + "/list"
      try Data(["/a", "/b", "/c"].map { origin.address($0) + "\n" }.joined().utf8).write(to: URL(filePath: list))
      let run = try await interrupted(["batch", "-O", folder, list]) {
        ["a.txt", "b.txt", "a", "b"].count { FileManager.default.fileExists(atPath: folder + "/" + $0) } == 2
          && keptBytes(of: "c") > 0
      }
      #expect(run.status == 130)
      // A file gets its name a moment before the store learns of it.
      #expect(run.output.contains("curlew: Interrupted: "), "\(run.output)")
      #expect(run.output.hasSuffix(" of 3 done; run the same command to continue.\n"), "\(run.output)")
      #expect(!run.output.contains("failed"))
    }
    gate.open()
    await origin.stop()
  }
}
