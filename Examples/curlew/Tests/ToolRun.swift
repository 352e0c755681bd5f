import Foundation

/// The built program, run once, as a shell sees it.
struct ToolRun {
  let status: Int32
  let output: String
  let errors: String

  /// Beside the test bundle, where the build puts it.
  static let tool = Bundle.main.bundleURL.appendingPathComponent("curlew")

  /// - Parameter script: Runs this in a shell instead, where the program is `$0` and the arguments are `$1`…
  init(_ arguments: [String], input: Data = Data(), script: String? = nil) async throws {
    let process = ChildProcess()
    process.executableURL = script == nil ? Self.tool : URL(filePath: "/bin/sh")
    process.arguments = script.map { ["-c", $0, Self.tool.path] + arguments } ?? arguments
    let (output, errors) = (Pipe(), Pipe())
    // A file, not a pipe: other programs that start meanwhile would inherit its end and keep it open.
    let entry = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try input.write(to: entry)
    defer { try? FileManager.default.removeItem(at: entry) }
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = try FileHandle(forReadingFrom: entry)
    try process.run()
    // On a thread of its own: blocking one of the pool's could keep the origin that the program waits for from answering.
    let ending = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        continuation.resume(returning: (process.terminationStatus, text, complaint))
      }
    }
    (status, self.output, self.errors) = ending
  }
}
