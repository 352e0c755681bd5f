import Testing

@testable import CurlewWebSocket

struct UTF8CheckerTests {
  private func isValid(_ bytes: [UInt8]) -> Bool {
    var checker = UTF8Checker()
    return bytes.withUnsafeBytes { checker.take($0) } && checker.isComplete
  }

  @Test func `a scalar is valid in UTF-8, whichever it is`() {
    // All of the first plane's edges, and one of 37 of the others.
    let edges: [UInt32] = [
      0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x3FFFF, 0x40000, 0xFFFFF, 0x100000,
      0x10FFFF,
    ]
    for value in edges + Array(stride(from: 0, through: 0x10FFFF, by: 37)) {
      guard let scalar = Unicode.Scalar(value), !isValid(Array(String(scalar).utf8)) else { continue }
      Issue.record("U+\(String(value, radix: 16))")
    }
  }

  @Test func `a sequence of up to three bytes is judged as the standard library judges it`() {
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        let pair = [first, second]
        if isValid(pair) != (String(validating: pair, as: UTF8.self) != nil) { Issue.record("\(pair)") }
        guard first >= 0xE0, first <= 0xF4, second >= 0x7F, second <= 0xC1 else { continue }
        for third: UInt8 in [0x00, 0x7F, 0x80, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF] {
          for bytes in [[first, second, third], [first, second, third, 0x80]] {
            if isValid(bytes) != (String(validating: bytes, as: UTF8.self) != nil) { Issue.record("\(bytes)") }
          }
        }
      }
    }
  }

  @Test func `a wrong byte is found at every place of a long text`() {
    for place in 0..<64 {
      var bytes = [UInt8](repeating: 0x61, count: 64)
      #expect(isValid(bytes))
      bytes[place] = 0x80
      #expect(!isValid(bytes))
    }
  }
}
