import ArgumentParser
import CurlewCore
import Dispatch
import Glibc

/// Ends work in good order when the user presses Ctrl-C: what is half done is cleaned up, and the exit code says so.
enum Interruption {
  /// Runs `work` in a task that SIGINT and SIGTERM cancel; a second signal ends the process at once.
  ///
  /// - Throws: Exit code 130 after SIGINT and 143 after SIGTERM, else what `work` threw.
  static func guarding(_ work: @escaping @Sendable () async throws -> Void) async throws {
    let received = Guarded<Int32?>(nil)
    let task = Task { try await work() }
    let watch = SignalWatch([SIGINT, SIGTERM]) { number in
      let isSecond = received.withLock { received in
        defer { received = number }
        return received != nil
      }
      if isSecond { _exit(128 + number) }
      task.cancel()
    }
    defer { watch.stop() }
    let result = await task.result
    if let number = received.withLock({ $0 }) { throw ExitCode(128 + number) }
    try result.get()
  }
}

/// Calls back for signals, on a queue instead of in a signal handler.
private struct SignalWatch {
  private let sources: [any DispatchSourceSignal]

  init(_ signals: [Int32], _ received: @escaping @Sendable (Int32) -> Void) {
    sources = signals.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { received(number) }
      source.resume()
      return source
    }
  }

  func stop() {
    for source in sources { source.cancel() }
  }
}
