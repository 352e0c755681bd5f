package import CurlewCore
package import FoundationEssentials
import Glibc

/// A running program of another project, such as OpenSSL.
///
/// This type does not use Foundation's `Process`, which writes beyond a buffer when it looks for open descriptors, and so
/// fails under the address sanitizer. `Process` also starts programs with the signal mask of the calling thread.
package struct PeerProgram: Sendable {
  /// The path of the `openssl` command.
  package static let openSSL = "/usr/bin/openssl"

  private let process: pid_t
  /// The descriptor from which its standard output is read.
  private let output: Int32

  /// Returns whether a program is installed.
  package static func isAvailable(_ path: String = openSSL) -> Bool { access(path, X_OK) == 0 }

  /// Runs a command until it ends, with the environment of this process.
  ///
  /// - Returns: The exit status, which is negative if a signal ended the command, and its standard output.
  /// - Throws: `FileSystemError` when the command cannot be started.
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

  /// Runs `openssl s_server` on a free port while `body` runs.
  package static func serving<Result>(
    _ arguments: [String], _ body: (_ port: Int) async throws -> Result
  ) async throws -> Result {
    let program = try PeerProgram(["s_server", "-accept", "127.0.0.1:0", "-www"] + arguments)
    let port = await Task.detached { program.acceptingPort() }.value
    defer { program.stop() }
    guard let port else { throw FileSystemError(code: ECHILD, operation: "serve", path: openSSL) }
    return try await body(port)
  }

  /// Starts a program, which the caller must stop.
  ///
  /// - Throws: `FileSystemError` when no process or descriptor is available, or the program does not exist.
  package init(_ arguments: [String], of path: String = openSSL) throws(FileSystemError) {
    var ends: [Int32] = [-1, -1]
    // This is a socket pair and not a pipe, because it is close-on-exec from the start. Another program that starts at the
    // same moment does not inherit it.
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

  /// Whether the program still runs.
  package var isRunning: Bool {
    var information = siginfo_t()
    // WNOWAIT keeps the status, so that `stop` can still wait for the program.
    return waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT) == 0 && information.si_signo == 0
  }

  /// Kills the program and waits until it has ended; call it once.
  package func stop() {
    // SIGTERM would not do: threads of a Swift program block it, and the children inherit that.
    kill(process, SIGKILL)
    _ = end()
  }

  /// Returns the next bytes of its output; nil at the end.
  private func read() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(output, &bytes, bytes.count)
    return count > 0 ? Array(bytes.prefix(count)) : nil
  }

  /// Returns the port from the line that announces it: `ACCEPT 127.0.0.1:40123`.
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

  /// Waits until the program has ended, and returns its status.
  private func end() -> Int32 {
    close(output)
    var status: Int32 = -1
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f)
  }
}
