import CurlewCore

/// The first bytes of a request and of the answer to it, as a connection received and sent them.
///
/// The connection writes it, and the report of a violated rule reads it.
package final class OriginTranscript: Sendable {
  /// The start of the bytes in one direction, and the number of all.
  private struct Side {
    var start: [UInt8] = []
    var count: Int64 = 0

    mutating func add(_ bytes: UnsafeRawBufferPointer, keeping limit: Int) {
      count += Int64(bytes.count)
      if start.count < limit { start.append(contentsOf: bytes.prefix(limit - start.count)) }
    }

    /// The first `sent` bytes as text.
    func text(_ sent: Int64) -> String {
      let shown = start.prefix(Int(min(sent, Int64(start.count))))
      return shown.wireText + (sent > Int64(start.count) ? "…" : "")
    }
  }

  private struct State {
    var received = Side()
    var written = Side()
    /// The bytes that the kernel has not accepted; over TLS those of the records, which are more.
    var unsent: Int64 = 0
    var isComplete = false
    var ending: String?
  }

  private let state = Guarded(State())
  private let limit: Int

  /// Creates a transcript that keeps this many bytes of each direction.
  init(keeping limit: Int) { self.limit = limit }

  /// Whether more of the answer is kept.
  var keepsMore: Bool { state.withLock { $0.written.start.count < limit } }

  /// Records bytes of the request.
  func received(_ bytes: UnsafeRawBufferPointer) {
    state.withLock { $0.received.add(bytes, keeping: limit) }
  }

  /// Records bytes of the answer, which the kernel has not accepted yet.
  func wrote(_ bytes: UnsafeRawBufferPointer) {
    state.withLock { state in
      state.written.add(bytes, keeping: limit)
      state.unsent += Int64(bytes.count)
    }
  }

  /// Records bytes of the answer that are only counted.
  func wrote(count: Int) {
    state.withLock { state in
      state.written.count += Int64(count)
      state.unsent += Int64(count)
    }
  }

  /// Records how many bytes the kernel has not accepted yet.
  func left(_ count: Int) { state.withLock { $0.unsent = Int64(count) } }

  /// Records that the answer is complete.
  func complete() { state.withLock { $0.isComplete = true } }

  /// Records how the connection ended; only the first call counts.
  func ended(_ ending: String) { state.withLock { $0.ending = $0.ending ?? ending } }

  /// A line for the request (`>`), and one for the answer (`<`), as far as the kernel has accepted it.
  package func lines(isRequestComplete: Bool) -> [String] {
    let state = state.withLock { $0 }
    let received = state.received.count
    let sent = max(0, state.written.count - state.unsent)
    let rest = state.isComplete || state.ending != nil ? "" : " so far"
    let ending = state.ending.map { ", then \($0)" } ?? ""
    let answer = sent == 0 ? "nothing\(rest)\(ending)" : "\(state.written.text(sent)) (\(sent) bytes\(rest)\(ending))"
    return [
      "> \(state.received.text(received)) (\(received) bytes\(isRequestComplete ? "" : " so far"))", "< \(answer)",
    ]
  }
}

extension Sequence<UInt8> {
  /// The bytes as one line: printable ASCII as it is, the others as `\r`, `\n`, `\t`, `\\` or `\xe9`.
  fileprivate var wireText: String {
    reduce(into: "") { text, byte in
      switch byte {
      case 0x0d: text += #"\r"#
      case 0x0a: text += #"\n"#
      case 0x09: text += #"\t"#
      case 0x5c: text += #"\\"#
      case 0x20..<0x7f: text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += #"\x"# + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
  }
}
