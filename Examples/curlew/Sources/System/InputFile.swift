import CurlewCore
import FoundationEssentials
import Synchronization

/// A file of an argument, or standard input.
struct InputFile: Sendable {
  /// The path; `-` means standard input.
  let path: String

  /// The name for messages.
  var name: String { path == "-" ? "standard input" : path }

  /// Reads the file to its end; it may be a pipe.
  ///
  /// - Parameter advice: The advice in the error for a file above the limit.
  /// - Throws: `FileSystemError`; `FormatError` when the file is larger than the limit.
  func read(upTo limit: Int, advice: String = "raise --max-size") async throws -> Data {
    guard path != "-" else { return try await read(.standard, limit, advice) }
    let files = LocalFileSystem()
    // A pipe has no offsets. A file of /proc has offsets but no length.
    let input: any ByteInput =
      try files.status(path)?.kind == .regular
      ? FileInput(try files.open(path, .read)) : try StreamDescriptor(path, for: .reading)
    return try await read(BlockingInput(input), limit, advice)
  }

  private func read(_ input: BlockingInput, _ limit: Int, _ advice: String) async throws -> Data {
    var bytes = Data()
    while true {
      let more = try await input.read(upTo: 1 << 20)
      guard !more.isEmpty else { return bytes }
      guard more.count <= limit - bytes.count else {
        throw FormatError("it is larger than \(limit) bytes; \(advice)")
      }
      bytes.append(more)
    }
  }
}

/// A file that is read from its beginning.
final class FileInput: ByteInput {
  private let file: any OpenFile
  private let offset = Mutex<Int64>(0)

  init(_ file: any OpenFile) { self.file = file }

  func read(upTo count: Int) throws(FileSystemError) -> Data {
    var bytes = [UInt8](repeating: 0, count: count)
    let start = offset.withLock { $0 }
    var failure: FileSystemError?
    var taken = 0
    bytes.withUnsafeMutableBytes { buffer in
      do throws(FileSystemError) { taken = try file.read(into: buffer, at: start) } catch { failure = error }
    }
    if let failure { throw failure }
    offset.withLock { $0 = start + Int64(taken) }
    return Data(bytes[..<taken])
  }
}
