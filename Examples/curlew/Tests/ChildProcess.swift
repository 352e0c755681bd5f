import Foundation
import Glibc
import Synchronization

/// A program that a test starts, with the part of Foundation's `Process` that the tests need.
///
/// `Process` itself reads beyond a buffer while it looks for open descriptors, which ends the tests now and then
/// (swift-corelibs-foundation#5472).
// Safe because the settings are only changed before `run`.
final class ChildProcess: @unchecked Sendable {
  var executableURL = ToolRun.tool
  var arguments: [String] = []
  /// A `Pipe` or a `FileHandle`; nil shares that of the tests.
  var standardInput, standardOutput, standardError: Any?
  private(set) var processIdentifier: pid_t = 0
  private let status = Mutex<Int32?>(nil)

  func run() throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var own: [FileHandle] = []
    for (number, stream) in [standardInput, standardOutput, standardError].enumerated() {
      var handle = stream as? FileHandle
      if let pipe = stream as? Pipe {
        let end = number == 0 ? pipe.fileHandleForReading : pipe.fileHandleForWriting
        (handle, own) = (end, own + [end])
      }
      if handle === FileHandle.nullDevice {
        posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0)
      } else if let handle {
        posix_spawn_file_actions_adddup2(&actions, handle.fileDescriptor, Int32(number))
      }
    }
    // Pipes of other tests would not end while this program has them; some may be made at this moment.
    let known = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
    for descriptor in 3..<(known.max() ?? 3) + 64 { posix_spawn_file_actions_addclose(&actions, descriptor) }
    var texts = ([executableURL.path] + arguments).map { strdup($0) } + [nil]
    defer { for text in texts { free(text) } }
    let code = posix_spawn(&processIdentifier, executableURL.path, &actions, nil, &texts, environ)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    // The child has the other ends; a pipe may be that of two streams.
    for handle in Set(own) { try handle.close() }
  }

  /// Waits until the program has ended.
  func waitUntilExit() {
    status.withLock { status in
      guard status == nil else { return }
      var ended: Int32 = 0
      while waitpid(processIdentifier, &ended, 0) < 0, errno == EINTR {}
      status = ended
    }
  }

  var isRunning: Bool {
    var information = siginfo_t()
    let code = waitid(P_PID, id_t(processIdentifier), &information, WEXITED | WNOHANG | WNOWAIT)
    return code == 0 && information.si_signo == 0
  }

  private var ending: Int32 {
    waitUntilExit()
    return status.withLock { $0 ?? 0 }
  }

  var terminationReason: Process.TerminationReason { ending & 0x7f == 0 ? .exit : .uncaughtSignal }

  /// The exit status, or the number of the signal that ended it.
  var terminationStatus: Int32 { ending & 0x7f == 0 ? ending >> 8 & 0xff : ending & 0x7f }
}
