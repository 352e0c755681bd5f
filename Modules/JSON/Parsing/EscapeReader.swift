import Glibc

/// Resolves the escapes of a string (RFC 8259 §7).
struct EscapeReader {
  /// The destination, as large as the escaped text, which the result never exceeds.
  let output: UnsafeMutableBufferPointer<UInt8>
  let replacesLoneSurrogates: Bool
  private(set) var count = 0
  /// Whether everything read so far is ASCII.
  private(set) var isASCII: Bool

  init(output: UnsafeMutableBufferPointer<UInt8>, isASCII: Bool, replacesLoneSurrogates: Bool) {
    self.output = output
    self.isASCII = isASCII
    self.replacesLoneSurrogates = replacesLoneSurrogates
  }

  /// Resolves the escapes in well-formed UTF-8 between a string's quotes.
  ///
  /// - Throws: The kind of failure, with the offset of the invalid escape.
  mutating func read(_ input: UnsafeBufferPointer<UInt8>) throws(ParseFailure) {
    var offset = 0
    while offset < input.count {
      let run = plainRun(input, at: offset)
      put(input, offset..<(offset + run))
      offset += run
      guard offset < input.count else { return }
      guard offset + 1 < input.count else { throw ParseFailure(kind: .invalidEscape, offset: offset) }
      switch input[offset + 1] {
      case UInt8(ascii: "\""): put(UInt8(ascii: "\""))
      case UInt8(ascii: "\\"): put(UInt8(ascii: "\\"))
      case UInt8(ascii: "/"): put(UInt8(ascii: "/"))
      case UInt8(ascii: "b"): put(0x08)
      case UInt8(ascii: "f"): put(0x0C)
      case UInt8(ascii: "n"): put(0x0A)
      case UInt8(ascii: "r"): put(0x0D)
      case UInt8(ascii: "t"): put(0x09)
      case UInt8(ascii: "u"):
        offset += try readUnicode(input, at: offset)
        continue
      default: throw ParseFailure(kind: .invalidEscape, offset: offset)
      }
      offset += 2
    }
  }

  /// Reads a `\uXXXX` or a surrogate pair of them and returns its length in bytes.
  private mutating func readUnicode(_ input: UnsafeBufferPointer<UInt8>, at offset: Int) throws(ParseFailure) -> Int {
    guard let unit = Self.codeUnit(input, at: offset) else {
      throw ParseFailure(kind: .invalidEscape, offset: offset)
    }
    if let scalar = Unicode.Scalar(unit) {
      put(scalar)
      return 6
    }
    if unit < 0xDC00, let low = Self.codeUnit(input, at: offset + 6), low >= 0xDC00, low <= 0xDFFF,
      let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    {
      put(scalar)
      return 12
    }
    guard replacesLoneSurrogates else { throw ParseFailure(kind: .loneSurrogate, offset: offset) }
    put("\u{FFFD}")
    return 6
  }

  private static func codeUnit(_ input: UnsafeBufferPointer<UInt8>, at offset: Int) -> UInt32? {
    guard input.count - offset >= 6, input[offset] == UInt8(ascii: "\\"), input[offset + 1] == UInt8(ascii: "u") else {
      return nil
    }
    var unit: UInt32 = 0
    for byte in input[(offset + 2)..<(offset + 6)] {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: return nil
      }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }

  /// Returns the number of bytes from `offset` to the next backslash.
  private func plainRun(_ input: UnsafeBufferPointer<UInt8>, at offset: Int) -> Int {
    guard let start = input.baseAddress else { return 0 }
    guard let found = memchr(start + offset, Int32(UInt8(ascii: "\\")), input.count - offset) else {
      return input.count - offset
    }
    return UnsafeRawPointer(found) - UnsafeRawPointer(start + offset)
  }

  private mutating func put(_ input: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
    guard range.count <= output.count - count, let source = input.baseAddress, let target = output.baseAddress else {
      return
    }
    memcpy(target + count, source + range.lowerBound, range.count)
    count += range.count
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    if !scalar.isASCII { isASCII = false }
    for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { put(byte) }
  }

  private mutating func put(_ byte: UInt8) {
    guard count < output.count else { return }
    output[count] = byte
    count += 1
  }
}
