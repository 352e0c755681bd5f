#if Postgres
import CurlewBatch
import FoundationEssentials
import Glibc

/// A worker in a process of its own, which can be killed.
final class WorkerProcess: Sendable {
  private let process: pid_t

  /// Starts a worker on a store.
  init(_ place: StorePlace, folder: String, width: Int) throws {
    // The build puts it beside the tests; `Scripts/bench batch` builds an optimised one.
    let path =
      ProcessInfo.processInfo.environment["CURLEW_POSTGRES_WORKER"]
      ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/postgres-batch-worker"
    let arguments = [path, place.schema, folder, "\(width)"]
    var texts: [UnsafeMutablePointer<CChar>?] = arguments.map { (text: String) in strdup(text) }
    texts.append(nil)
    defer { for text in texts { free(text) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, path, nil, nil, &texts, environ)
    guard code == 0 else { throw BatchError(.storeFailed, "\(path) does not start: \(code)") }
    self.process = process
  }

  /// Kills it and waits until it is gone.
  ///
  /// - Returns: Whether it was alive.
  func kill() -> Bool {
    Glibc.kill(process, SIGKILL)
    return wait() & 0x7f == SIGKILL
  }

  /// Waits for its end, and returns its exit status; nil if a signal has ended it.
  @discardableResult
  func end() -> Int32? {
    let status = wait()
    return status & 0x7f == 0 ? (status >> 8) & 0xff : nil
  }

  private func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status
  }
}
#endif
