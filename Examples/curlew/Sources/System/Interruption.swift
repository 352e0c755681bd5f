import ArgumentParser
import CurlewCore
import Dispatch
import Glibc
import Synchronization

/// Ends a run cleanly after Ctrl-C, with exit code 130.
///
/// Unfinished work is cleaned up. A stream whose other end stands still keeps no run.
enum Interruption {
  private static let status: Int32 = 130

  /// Runs `work` in a task that SIGINT, SIGTERM and SIGHUP cancel.
  ///
  /// A second signal ends the process at once.
  ///
  /// - Parameter lifecycle: Is told of the signal in place of the task, and gives `work` the time to end by itself.
  /// - Throws: `ExitCode` 130 after a signal, unless `work` has ended well in the time that it was given; else the error of
  ///   `work`.
  static func guarding(
    _ lifecycle: SignalLifecycle? = nil, _ work: @escaping @Sendable () async throws -> Void
  ) async throws {
    let isInterrupted = Mutex(false)
    // Under nohup, which ignores SIGHUP, the program outlives its terminal.
    let signals = try SignalPipe(isIgnored(SIGHUP) ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP])
    let task = Task { try await work() }
    let watch = signals.listen {
      let isSecond = isInterrupted.withLock { isInterrupted in
        defer { isInterrupted = true }
        return isInterrupted
      }
      if isSecond { _exit(status) }
      if let lifecycle {
        lifecycle.end()
      } else {
        task.cancel()
        StreamWaits.end()
      }
    }
    defer { watch.cancel() }
    let result = await task.result
    switch result {
    case .success where lifecycle != nil: return
    case .failure(let error) where lifecycle != nil && !(error is CancellationError): throw error
    default: if isInterrupted.withLock({ $0 }) { throw ExitCode(status) }
    }
    try result.get()
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    // Safe because a handler is a pointer, and SIG_IGN is the pointer with address 1.
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }
}
