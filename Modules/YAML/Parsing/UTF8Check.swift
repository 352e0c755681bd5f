/// Validates UTF-8 strictly (RFC 3629 §4).
///
/// Overlong forms, surrogates and values beyond U+10FFFF are errors.
enum UTF8Check {
  /// The result: all ASCII, all well-formed, or the offset of the first error.
  enum Outcome: Equatable {
    case ascii
    case utf8
    case fault(Int)
  }

  /// Validates the bytes, many at a time where they are ASCII.
  static func check(_ bytes: UnsafeBufferPointer<UInt8>) -> Outcome {
    let raw = UnsafeRawBufferPointer(bytes)
    var isASCII = true
    var place = 0
    while place < raw.count {
      place += raw.asciiRun(from: place, upTo: raw.count)
      guard place < raw.count else { break }
      let first = raw[place]
      if first < 0x80 {
        place += 1
        continue
      }
      isASCII = false
      guard let length = sequenceLength(first, place + 1 < raw.count ? raw[place + 1] : 0),
        place + length <= raw.count, (1..<length).allSatisfy({ raw[place + $0] & 0xC0 == 0x80 })
      else { return .fault(place) }
      place += length
    }
    return isASCII ? .ascii : .utf8
  }

  /// Returns a sequence's length by its first two bytes; nil if they are ill-formed.
  private static func sequenceLength(_ first: UInt8, _ second: UInt8) -> Int? {
    switch (first, second) {
    case (0xC2...0xDF, _): 2
    case (0xE0, 0xA0...0xBF), (0xE1...0xEC, _), (0xED, 0x80...0x9F), (0xEE...0xEF, _): 3
    case (0xF0, 0x90...0xBF), (0xF1...0xF3, _), (0xF4, 0x80...0x8F): 4
    default: nil
    }
  }
}
