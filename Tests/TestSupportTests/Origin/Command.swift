import Glibc

/// A program of the system as a second opinion.
struct Command: Sendable {
  var exit: Int32
  var output: String

  /// Runs `curl`, quiet but for errors, with a limit of 20 s.
  static func curl(_ arguments: String...) async throws -> Command {
    try await run(["curl", "-sS", "--noproxy", "", "--max-time", "20"] + arguments)
  }

  /// Runs a program; its two outputs come as one.
  static func run(_ arguments: [String]) async throws -> Command {
    let line = arguments.map { "'\($0)'" }.joined(separator: " ")
    return try await RawClient.run {
      guard let pipe = popen(line + " 2>&1 </dev/null", "re") else {
        throw RawClient.Failure(what: "popen", code: errno)
      }
      var output: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = fread(&buffer, 1, buffer.count, pipe)
        if count == 0 { break }
        output += buffer.prefix(count)
      }
      let status = pclose(pipe)
      return Command(exit: (status >> 8) & 0xff, output: String(decoding: output, as: UTF8.self))
    }
  }
}
