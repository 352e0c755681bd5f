import Foundation

/// The program in a process of its own, which is running.
final class MirrorRun {
  private let process = Process()
  private let output = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
  private let errors = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

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
    _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
  }

  /// Waits for the end, and returns the exit status and what was printed.
  func end() throws -> (status: Int32, text: String, errors: String) {
    process.waitUntilExit()
    defer { removeFiles() }
    return (
      process.terminationStatus, try String(contentsOf: output, encoding: .utf8),
      try String(contentsOf: errors, encoding: .utf8)
    )
  }

  /// Kills the program, and waits until it is gone.
  func kill() {
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    removeFiles()
  }

  private func removeFiles() {
    for file in [output, errors] { try? FileManager.default.removeItem(at: file) }
  }
}
