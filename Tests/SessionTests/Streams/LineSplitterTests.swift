import CurlewSession
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(10))) struct LineSplitterTests {
  /// A line, or the error for one that is too long.
  private enum Line: Equatable {
    case line([UInt8])
    case tooLong(Int)
  }

  private static func split(_ pieces: [ArraySlice<UInt8>], limit: Int) -> [Line] {
    var splitter = LineSplitter(maximumBytes: limit)
    var lines: [Line] = []
    func take() {
      while true {
        do throws(LineTooLongError) {
          guard let line = try splitter.next() else { return }
          lines.append(.line([UInt8](line)))
        } catch {
          lines.append(.tooLong(error.number))
        }
      }
    }
    for piece in pieces {
      splitter.append(Data(piece))
      take()
    }
    splitter.finish()
    take()
    return lines
  }

  /// The same, byte by byte.
  private static func reference(_ bytes: [UInt8], limit: Int) -> [Line] {
    var lines: [Line] = []
    var line: [UInt8] = []
    func end() {
      lines.append(line.count > limit ? .tooLong(lines.count + 1) : .line(line))
      line = []
    }
    for (place, byte) in bytes.enumerated() {
      switch byte {
      case UInt8(ascii: "\n"): if place == 0 || bytes[place - 1] != UInt8(ascii: "\r") { end() }
      case UInt8(ascii: "\r"): end()
      default: line.append(byte)
      }
    }
    if !line.isEmpty { end() }
    return lines
  }

  /// `CURLEW_MUTATIONS` sets the number; `Scripts/soak` takes a million.
  private static let mutations =
    ProcessInfo.processInfo.environment["CURLEW_MUTATIONS"].flatMap(Int.init) ?? 20_000

  @Test func `any bytes are lines, and where they are cut changes nothing`() {
    var generator = SeededGenerator(seed: 181)
    let alphabet = Array("ab\r\n\r\n\0é".utf8) + [0xFF, 0xE2]
    for number in 0..<Self.mutations {
      let bytes = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
      }
      let limit = number % 3 == 0 ? Int.random(in: 0...6, using: &generator) : 1 << 20
      let first = Int.random(in: 0...bytes.count, using: &generator)
      let second = Int.random(in: first...bytes.count, using: &generator)
      let expected = Self.reference(bytes, limit: limit)
      let whole = Self.split([bytes[...]], limit: limit)
      let pieces = Self.split([bytes[..<first], bytes[first..<second], bytes[second...]], limit: limit)
      guard whole == expected, pieces == expected else {
        Issue.record("limit \(limit), cut at \(first) and \(second): \(bytes)")
        return
      }
    }
  }
}
