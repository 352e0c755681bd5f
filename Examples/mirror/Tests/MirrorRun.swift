import Foundation

/// The program in a process of its own, which is running.
final class MirrorRun {
  private let process = Process()
  private let output = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

  /// Starts the program.
  ///
  /// - Parameter schema: The schema of a shared batch; nil keeps the state in the directory.
  init(of address: String, in directory: URL, schema: String? = nil) throws {
    // The build puts it beside the tests.
    process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("mirror")
    process.arguments = [address, directory.path] + (schema.map { [$0] } ?? [])
    var environment = ProcessInfo.processInfo.environment
    if schema == nil { environment["CURLEW_POSTGRES"] = nil }
    process.environment = environment
    _ = FileManager.default.createFile(atPath: output.path, contents: nil)
    process.standardOutput = try FileHandle(forWritingTo: output)
    try process.run()
  }

  /// Waits for the end, and returns the exit status and what was printed.
  func end() throws -> (status: Int32, text: String) {
    process.waitUntilExit()
    defer { try? FileManager.default.removeItem(at: output) }
    return (process.terminationStatus, try String(contentsOf: output, encoding: .utf8))
  }

  /// Kills the program, and waits until it is gone.
  func kill() {
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: output)
  }
}
