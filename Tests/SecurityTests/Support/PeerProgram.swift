import CurlewCore
import FoundationEssentials
import Glibc

/// A running program of another project, `openssl` unless told: judges and servers that nobody here wrote.
struct PeerProgram {
  static let path = "/usr/bin/openssl"

  static var isAvailable: Bool { isAvailable(path) }
  static func isAvailable(_ path: String) -> Bool { access(path, X_OK) == 0 }

  private let process: pid_t
  /// Reads what it says on standard output.
  private let output: Int32

  /// Runs a command to its end and returns whether it ended well.
  static func run(_ arguments: [String]) async throws -> Bool {
    let program = try PeerProgram(arguments)
    return await Task.detached {
      while program.read() != nil {}
      return program.end() == 0
    }.value
  }

  /// Runs `s_server` on a free port for as long as `body` does.
  static func serving<Result>(
    _ arguments: [String], _ body: (_ port: Int) async throws -> Result
  ) async throws -> Result {
    let program = try PeerProgram(["s_server", "-accept", "127.0.0.1:0", "-www"] + arguments)
    let port = await Task.detached { program.acceptingPort() }.value
    defer { program.stop() }
    guard let port else { throw FileSystemError(code: ECHILD, operation: "serve", path: path) }
    return try await body(port)
  }

  init(_ arguments: [String], of path: String = Self.path) throws(FileSystemError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw FileSystemError(code: errno, operation: "pipe", path: "") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[1]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    let copies = ([path] + arguments).map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, path, &actions, nil, copies + [nil], [nil])
    guard code == 0 else {
      close(ends[0])
      throw FileSystemError(code: code, operation: "posix_spawn", path: path)
    }
    self.process = process
    output = ends[0]
  }

  /// Ends it and waits until it is gone.
  func stop() {
    kill(process, SIGKILL)
    _ = end()
  }

  /// The next piece of what it says; nil at the end.
  private func read() -> String? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(output, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }

  /// Where it says that it listens: `ACCEPT 127.0.0.1:40123`.
  private func acceptingPort() -> Int? {
    var said = ""
    while let piece = read() {
      said += piece
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
    return status
  }
}
