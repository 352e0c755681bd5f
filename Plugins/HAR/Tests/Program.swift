import Foundation

/// Runs a program and returns what it printed.
enum Program {
  struct Result: Sendable {
    var status: Int32
    var output: String
  }

  /// Runs a shell's script, with no settings of a user for curl.
  static func shell(_ script: String, in folder: String) async throws -> Result {
    let path = folder + "/script-\(UUID().uuidString)"
    try script.write(toFile: path, atomically: false, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await run("/bin/sh", [path], in: folder)
  }

  static func run(_ program: String, _ arguments: [String], in folder: String) async throws -> Result {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.currentDirectoryURL = URL(filePath: folder)
    process.environment = ["HOME": folder, "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
    let output = folder + "/output-\(UUID().uuidString)"
    try Data().write(to: URL(filePath: output))
    defer { try? FileManager.default.removeItem(atPath: output) }
    let handle = try FileHandle(forWritingTo: URL(filePath: output))
    process.standardOutput = handle
    process.standardError = handle
    process.standardInput = FileHandle.nullDevice
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in continuation.resume() }
      do { try process.run() } catch {
        process.terminationHandler = nil
        continuation.resume(throwing: error)
      }
    }
    try handle.close()
    let data = try Data(contentsOf: URL(filePath: output))
    return Result(status: process.terminationStatus, output: String(decoding: data, as: UTF8.self))
  }
}

/// A folder that is removed when the last reference is released.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "/curlew-har-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
