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
  /// A line that is longer than allowed; the next one can be had.
  struct LineTooLong: Error, CustomStringConvertible {
    let limit: Int

    var description: String { "The line is longer than \(limit) bytes." }
  }

  private let input: BlockingInput
  private let limit: Int
  private var buffer = Data()
  private var isAtEnd = false
  /// Whether what comes is the rest of a line that was too long.
  private var isSkipping = false

  /// - Parameter limit: The longest line taken, in bytes.
  init(_ input: BlockingInput, limit: Int = 64 << 20) {
    self.input = input
    self.limit = limit
  }

  /// The next line without its line break; nil after the last.
  ///
  /// - Throws: `LineTooLong`, as soon as that is known, and `FileSystemError`.
  mutating func next() async throws -> Data? {
    var searched = buffer.startIndex
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Data(buffer[..<end])
        buffer = Data(buffer[(end + 1)...])
        searched = buffer.startIndex
        guard isSkipping else { return line }
        isSkipping = false
        continue
      }
      guard !isAtEnd else {
        defer { buffer = Data() }
        return buffer.isEmpty || isSkipping ? nil : buffer
      }
      if isSkipping || buffer.count > limit {
        buffer = Data()
        guard isSkipping else {
          isSkipping = true
          throw LineTooLong(limit: limit)
        }
      }
      searched = buffer.endIndex
      let more = try await input.read()
      isAtEnd = more.isEmpty
      buffer.append(more)
    }
  }
}
