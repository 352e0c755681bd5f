import Glibc

/// The `curl` command as a second opinion.
struct CurlCommand: Sendable {
  var exit: Int32
  var output: String

  static func run(_ arguments: String...) async throws -> CurlCommand {
    let line = (["curl", "-sS", "--noproxy", "", "--max-time", "20"] + arguments).map { "'\($0)'" }.joined(
      separator: " ")
    return try await RawClient.run {
      guard let pipe = popen(line + " 2>&1", "re") else { throw RawClient.Failure(what: "popen", code: errno) }
      var output: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = fread(&buffer, 1, buffer.count, pipe)
        if count == 0 { break }
        output += buffer.prefix(count)
      }
      let status = pclose(pipe)
      return CurlCommand(exit: (status >> 8) & 0xff, output: String(decoding: output, as: UTF8.self))
    }
  }
}
