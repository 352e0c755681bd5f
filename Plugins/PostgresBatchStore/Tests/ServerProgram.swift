#if Postgres
import FoundationEssentials
import Glibc
import Testing

/// The programs with which `Scripts/with-postgres` lets a test treat its server.
enum ServerProgram {
  /// Restarts the server, and returns the exit status.
  ///
  /// - Parameter mode: `fast`, or `immediate` for a crash.
  static func restart(_ mode: String) throws -> Int32 { try run("CURLEW_POSTGRES_RESTART", mode) }

  /// Runs a closure while every process of the server is stopped.
  static func whileStopped<Output>(_ body: () async throws -> Output) async throws -> Output {
    #expect(try run("CURLEW_POSTGRES_SIGNAL", "STOP") == 0)
    defer { _ = try? run("CURLEW_POSTGRES_SIGNAL", "CONT") }
    return try await body()
  }

  private static func run(_ variable: String, _ argument: String) throws -> Int32 {
    let path = try #require(ProcessInfo.processInfo.environment[variable])
    var texts: [UnsafeMutablePointer<CChar>?] = [strdup(path), strdup(argument), nil]
    defer { for text in texts { free(text) } }
    var (process, status) = (pid_t(), Int32())
    guard posix_spawn(&process, path, nil, nil, &texts, environ) == 0 else { return -1 }
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status
  }
}
#endif
