/// Strict UTF-8: no overlong forms, no surrogates, nothing beyond U+10FFFF (RFC 3629 §4).
enum UTF8Check {
  /// Whether all bytes are ASCII, or where the first ill-formed sequence starts.
  enum Outcome: Equatable {
    case ascii
    case utf8
    case fault(Int)
  }

  /// Looks at many bytes at a time where they are ASCII.
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

  /// The length of a sequence by its first two bytes, nil when no sequence starts so.
  private static func sequenceLength(_ first: UInt8, _ second: UInt8) -> Int? {
    switch (first, second) {
    case (0xC2...0xDF, _): 2
    case (0xE0, 0xA0...0xBF), (0xE1...0xEC, _), (0xED, 0x80...0x9F), (0xEE...0xEF, _): 3
    case (0xF0, 0x90...0xBF), (0xF1...0xF3, _), (0xF4, 0x80...0x8F): 4
    default: nil
    }
  }
}
