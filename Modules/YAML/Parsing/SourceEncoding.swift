/// Detects the encoding of a text by its first bytes (YAML 1.2 §5.2).
enum SourceEncoding {
  case utf8(markLength: Int)
  case utf16(isBigEndian: Bool)
  case utf32(isBigEndian: Bool)

  static func of(_ bytes: UnsafeBufferPointer<UInt8>) -> SourceEncoding {
    func at(_ place: Int) -> UInt8? { place < bytes.count ? bytes[place] : nil }
    switch (at(0), at(1), at(2), at(3)) {
    case (0, 0, 0xFE, 0xFF), (0, 0, 0, .some(1...)): return .utf32(isBigEndian: true)
    case (0xFF, 0xFE, 0, 0), (.some(1...), 0, 0, 0): return .utf32(isBigEndian: false)
    case (0xFE, 0xFF, _, _), (0, .some(1...), _, _): return .utf16(isBigEndian: true)
    case (0xFF, 0xFE, _, _), (.some(1...), 0, _, _): return .utf16(isBigEndian: false)
    case (0xEF, 0xBB, 0xBF, _): return .utf8(markLength: 3)
    default: return .utf8(markLength: 0)
    }
  }

  /// Passes the text to `body` as UTF-8, and whether it is all ASCII.
  ///
  /// The byte order mark is removed.
  static func withUTF8<Result>(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ body: (UnsafeBufferPointer<UInt8>, _ isASCII: Bool) throws(YAMLError) -> Result
  ) throws(YAMLError) -> Result {
    switch of(bytes) {
    case .utf8(let markLength):
      return try body(UnsafeBufferPointer(rebasing: bytes[markLength...]), isASCII(bytes, from: markLength))
    case .utf16(let isBigEndian):
      return try withText(try utf16(bytes, isBigEndian), body)
    case .utf32(let isBigEndian):
      return try withText(try utf32(bytes, isBigEndian), body)
    }
  }

  /// Calls `body` with a text, and whether it is all ASCII.
  ///
  /// The result is wrapped because the standard library's closures lose the type of an error.
  private static func withText<Result>(
    _ text: [UInt8], _ body: (UnsafeBufferPointer<UInt8>, Bool) throws(YAMLError) -> Result
  ) throws(YAMLError) -> Result {
    try text.withUnsafeBufferPointer { text -> Swift.Result<Result, YAMLError> in
      do throws(YAMLError) {
        return .success(try body(text, isASCII(text, from: 0)))
      } catch {
        return .failure(error)
      }
    }.get()
  }

  /// Returns whether all bytes are ASCII; throws if they are not UTF-8.
  private static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) throws(YAMLError) -> Bool {
    let bytes = UnsafeBufferPointer(rebasing: bytes[start...])
    switch UTF8Check.check(bytes) {
    case .ascii: return true
    case .utf8: return false
    case .fault(let place): throw YAMLError(.invalidEncoding, at: SourceText.mark(of: place, in: bytes))
    }
  }

  private static func utf16(_ bytes: UnsafeBufferPointer<UInt8>, _ isBigEndian: Bool) throws(YAMLError) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var place = 0
    func unit() -> UInt32? {
      guard place + 1 < bytes.count else { return nil }
      let (first, second) = (UInt32(bytes[place]), UInt32(bytes[place + 1]))
      return isBigEndian ? first << 8 | second : second << 8 | first
    }
    while let first = unit() {
      place += 2
      var scalar = first
      if (0xD800...0xDBFF).contains(first), let second = unit(), (0xDC00...0xDFFF).contains(second) {
        place += 2
        scalar = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
      }
      try append(scalar, to: &text)
    }
    if place < bytes.count { throw fault(after: text) }
    return text
  }

  private static func utf32(_ bytes: UnsafeBufferPointer<UInt8>, _ isBigEndian: Bool) throws(YAMLError) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count / 4)
    for place in stride(from: 0, to: bytes.count - bytes.count % 4, by: 4) {
      let unit = bytes[place..<place + 4]
      try append((isBigEndian ? Array(unit) : unit.reversed()).reduce(0) { $0 << 8 | UInt32($1) }, to: &text)
    }
    if bytes.count % 4 != 0 { throw fault(after: text) }
    return text
  }

  private static func append(_ value: UInt32, to text: inout [UInt8]) throws(YAMLError) {
    guard let scalar = Unicode.Scalar(value) else { throw fault(after: text) }
    // The byte order mark is not part of the text.
    if text.isEmpty, value == 0xFEFF { return }
    text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }

  private static func fault(after text: [UInt8]) -> YAMLError {
    YAMLError(.invalidEncoding, at: text.withUnsafeBufferPointer { SourceText.mark(of: text.count, in: $0) })
  }
}

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
