import CurlewCore
import FoundationEssentials
import Glibc

/// A file of the command line, or standard input.
struct InputFile: Sendable {
  /// `-` is standard input.
  let path: String

  /// What messages call it.
  var name: String { path == "-" ? "standard input" : path }

  /// All of it.
  ///
  /// - Throws: `FileSystemError`; `FormatError` beyond the limit.
  func read(upTo limit: Int) async throws -> Data {
    guard path != "-" else { return try await read(.standard, limit) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileSystemError(code: errno, operation: "open", path: path) }
    defer { close(descriptor) }
    return try await read(BlockingInput(descriptor), limit)
  }

  private func read(_ input: BlockingInput, _ limit: Int) async throws -> Data {
    var bytes = Data()
    while true {
      let more = try await input.read(upTo: 1 << 20)
      guard !more.isEmpty else { return bytes }
      guard more.count <= limit - bytes.count else {
        throw FormatError("it is larger than \(limit) bytes; raise --max-size")
      }
      bytes.append(more)
    }
  }
}
