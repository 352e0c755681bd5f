import CurlewCore
import Glibc

/// A server program that stops when it is released or this process ends.
final class ServerProcess: Sendable {
  /// The descriptor whose end tells the guarding shell that this process has ended.
  private let lifeline: Int32
  private let guardian: pid_t
  private let isStopped = Guarded(false)

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - arguments: The program's path and its arguments.
  ///   - environment: The whole environment, as `NAME=value`.
  ///   - inherited: A descriptor that the program receives as number 7.
  /// - Throws: `FileSystemError` when no process or descriptor is available.
  init(_ arguments: [String], environment: [String] = [], inherited: Int32? = nil) throws(FileSystemError) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw FileSystemError(code: errno, operation: "socketpair", path: "")
    }
    defer { close(ends[0]) }
    // A shell waits until this process's end of the pair is closed, for whatever reason.
    let script = #""$@" </dev/null >/dev/null 2>&1 & child=$!; read line; kill $child; wait $child"#
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    if let inherited { posix_spawn_file_actions_adddup2(&actions, inherited, 7) }
    // The server must not inherit descriptors of this process that are not close-on-exec, such as a lock file.
    for descriptor in try LocalFileSystem().list("/proc/self/fd").compactMap({ Int32($0) }) where descriptor > 2 {
      if inherited == nil || descriptor != 7 { posix_spawn_file_actions_addclose(&actions, descriptor) }
    }
    // Threads of a Swift program block signals and children inherit that, so the shell would not receive SIGCHLD.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
    var process: pid_t = 0
    let code = CStrings(["/bin/sh", "-c", script, "sh"] + arguments).with { arguments in
      CStrings(["PATH=/usr/sbin:/usr/bin:/sbin:/bin"] + environment).with { environment in
        posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments, environment)
      }
    }
    guard code == 0 else {
      close(ends[1])
      throw FileSystemError(code: code, operation: "posix_spawn", path: "/bin/sh")
    }
    lifeline = ends[1]
    guardian = process
  }

  deinit { stop() }

  /// Stops the server and waits until it has ended.
  func stop() {
    let isFirst = isStopped.withLock { isStopped in
      defer { isStopped = true }
      return !isStopped
    }
    guard isFirst else { return }
    close(lifeline)
    var status: Int32 = 0
    while waitpid(guardian, &status, 0) < 0, errno == EINTR {}
  }
}
