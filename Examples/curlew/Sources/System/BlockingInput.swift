import CurlewCore
import Dispatch
import FoundationEssentials
import Glibc

/// An input that its own thread reads, so that a slow writer blocks nothing else.
final class BlockingInput: Sendable {
  static let standard = BlockingInput(StreamDescriptor(borrowing: STDIN_FILENO, for: .reading))

  private let input: any ByteInput
  private let queue = DispatchQueue(label: "curlew.input")

  init(_ input: any ByteInput) { self.input = input }

  /// Returns the next bytes; empty at the end.
  ///
  /// - Throws: `FileSystemError`.
  func read(upTo count: Int = 65_536) async throws -> Data {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [input] in continuation.resume(with: Result { try input.read(upTo: count) }) }
    }
  }
}

/// Splits an input into lines.
struct InputLines {
  /// The error for a line above the limit; the lines after it can still be read.
  struct LineTooLong: Error, CustomStringConvertible {
    let limit: Int

    var description: String { "The line is longer than \(limit) bytes." }
  }

  private let input: BlockingInput
  private let limit: Int
  private var buffer = Data()
  /// Where the next line begins in the buffer.
  private var start = 0
  private var isAtEnd = false
  /// Whether the rest of a line that was too long is being skipped.
  private var isSkipping = false

  /// - Parameter limit: The limit of a line in bytes.
  init(_ input: BlockingInput, limit: Int = 64 << 20) {
    self.input = input
    self.limit = limit
  }

  /// Returns the next line without its line feed; nil after the last.
  ///
  /// - Throws: `LineTooLong` as soon as the limit is passed; `FileSystemError`.
  mutating func next() async throws -> Data? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = buffer[start..<end]
        start = end + 1
        searched = start
        guard isSkipping || line.count > limit else { return Data(line) }
        guard isSkipping else { throw LineTooLong(limit: limit) }
        isSkipping = false
        continue
      }
      // What is left is moved once for each read, not for each line.
      buffer = Data(buffer[start...])
      start = 0
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
