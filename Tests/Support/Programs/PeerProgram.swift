package import CurlewCore
package import FoundationEssentials
import Glibc

/// A running program of another project: judges and servers that nobody here wrote.
///
/// Foundation's `Process` is not used: it writes past a buffer when it looks for open descriptors, which ends each run
/// under the address sanitizer, and it starts programs with the signal mask of whatever thread it was called on.
package struct PeerProgram: Sendable {
  /// Where the `openssl` command is looked for.
  package static let openSSL = "/usr/bin/openssl"

  private let process: pid_t
  /// Reads what it says on standard output.
  private let output: Int32

  /// Returns whether a program is installed.
  package static func isAvailable(_ path: String = openSSL) -> Bool { access(path, X_OK) == 0 }

  /// Runs a command to its end, with this process's environment.
  ///
  /// - Returns: Its exit status, negative where a signal ended it, and what it wrote to standard output.
  /// - Throws: `FileSystemError` when it cannot be started.
  package static func output(
    _ arguments: [String], of path: String = openSSL
  ) async throws -> (status: Int32, bytes: Data) {
    let program = try PeerProgram(arguments, of: path)
    return await Task.detached {
      var said = Data()
      while let piece = program.read() { said += piece }
      return (program.end(), said)
    }.value
  }

  /// Runs `openssl s_server` on a free port for as long as `body` does.
  package static func serving<Result>(
    _ arguments: [String], _ body: (_ port: Int) async throws -> Result
  ) async throws -> Result {
    let program = try PeerProgram(["s_server", "-accept", "127.0.0.1:0", "-www"] + arguments)
    let port = await Task.detached { program.acceptingPort() }.value
    defer { program.stop() }
    guard let port else { throw FileSystemError(code: ECHILD, operation: "serve", path: openSSL) }
    return try await body(port)
  }

  /// Starts a program; whoever does so stops it.
  ///
  /// - Throws: `FileSystemError` when there is no process or descriptor left, or no such program.
  package init(_ arguments: [String], of path: String = openSSL) throws(FileSystemError) {
    var ends: [Int32] = [-1, -1]
    // A pair instead of a pipe, since what is made closed on exec is never another program's that starts meanwhile.
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw FileSystemError(code: errno, operation: "socketpair", path: "")
    }
    defer { close(ends[1]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var process: pid_t = 0
    let code = CStrings([path] + arguments).with { arguments in
      posix_spawn(&process, path, &actions, nil, arguments, environ)
    }
    guard code == 0 else {
      close(ends[0])
      throw FileSystemError(code: code, operation: "posix_spawn", path: path)
    }
    self.process = process
    output = ends[0]
  }

  /// Whether it has not ended by itself yet.
  package var isRunning: Bool {
    var information = siginfo_t()
    // What is only looked at stays there for `stop` to wait for.
    return waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT) == 0 && information.si_signo == 0
  }

  /// Ends it and waits until it is gone; called once.
  package func stop() {
    // A thread of a Swift program blocks SIGTERM, and what it starts inherits that.
    kill(process, SIGKILL)
    _ = end()
  }

  /// Returns the next piece of what it says; nil at the end.
  private func read() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(output, &bytes, bytes.count)
    return count > 0 ? Array(bytes.prefix(count)) : nil
  }

  /// Returns where it says that it listens: `ACCEPT 127.0.0.1:40123`.
  private func acceptingPort() -> Int? {
    var said = ""
    while let piece = read() {
      said += String(decoding: piece, as: UTF8.self)
      for line in said.split(separator: "\n").filter({ $0.hasPrefix("ACCEPT ") }) where said.hasSuffix("\n") {
        return line.split(separator: ":").last.flatMap { Int($0) }
      }
    }
    return nil
  }

  /// Waits for its end and returns its status.
  private func end() -> Int32 {
    close(output)
    var status: Int32 = -1
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f)
  }
}
