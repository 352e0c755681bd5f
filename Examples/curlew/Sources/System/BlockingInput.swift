import CurlewCore
import Dispatch
import FoundationEssentials
import Glibc

/// Standard input, read on a thread of its own so that waiting for a slow writer holds up nobody.
final class BlockingInput: Sendable {
  static let standard = BlockingInput(STDIN_FILENO)

  private let descriptor: Int32
  private let queue = DispatchQueue(label: "curlew.input")

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// The next bytes; none at the end.
  ///
  /// - Throws: `FileSystemError`.
  func read(upTo count: Int = 65_536) async throws -> Data {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [descriptor] in
        var bytes = [UInt8](repeating: 0, count: count)
        while true {
          let taken = Glibc.read(descriptor, &bytes, count)
          if taken >= 0 { return continuation.resume(returning: Data(bytes[..<taken])) }
          guard errno == EINTR else {
            return continuation.resume(throwing: FileSystemError(code: errno, operation: "read", path: ""))
          }
        }
      }
    }
  }
}

/// Cuts standard input into lines.
struct InputLines {
  /// The longest line taken, in bytes.
  static let longest = 64 << 20

  private let input: BlockingInput
  private var buffer = Data()
  private var isAtEnd = false

  init(_ input: BlockingInput) { self.input = input }

  /// The next line without its line break; nil after the last.
  ///
  /// - Throws: `FileSystemError`, with `EMSGSIZE` for a line that is too long.
  mutating func next() async throws -> Data? {
    var searched = buffer.startIndex
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer = Data(buffer[(end + 1)...]) }
        return Data(buffer[..<end])
      }
      guard !isAtEnd else {
        defer { buffer = Data() }
        return buffer.isEmpty ? nil : buffer
      }
      guard buffer.count <= Self.longest else {
        throw FileSystemError(code: EMSGSIZE, operation: "read a line", path: "")
      }
      searched = buffer.endIndex
      let more = try await input.read()
      isAtEnd = more.isEmpty
      buffer.append(more)
    }
  }
}
