import Foundation

/// The built program, as a shell sees it.
enum BuiltTool {
  struct Ending: Sendable {
    var status: Int32
    var output: String
    var errors: String
  }

  /// Beside the test bundle, where the build puts it.
  private static let tool = Bundle.main.bundleURL.appendingPathComponent("curlew")

  static func run(_ arguments: [String]) async throws -> Ending {
    let process = Process()
    process.executableURL = tool
    process.arguments = arguments
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    return await Task.detached {
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return Ending(status: process.terminationStatus, output: text, errors: complaint)
    }.value
  }
}
