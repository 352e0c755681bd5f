import FoundationEssentials

/// Writes JSON text into bytes, without building values first.
struct HARText {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int = 2048) { bytes.reserveCapacity(capacity) }

  /// Removes the text and keeps its memory.
  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Appends text as it is.
  mutating func raw(_ text: StaticString) {
    // Safe because the pointer is used only here, and a static string with a pointer is a sequence of UTF-8.
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Appends text as it is.
  mutating func raw(text: String) { bytes.append(contentsOf: text.utf8) }

  /// Appends bytes as they are.
  mutating func raw(bytes more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

  /// Appends a string with quotes and escapes (RFC 8259 §7).
  mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { source in
      var start = 0
      for index in source.indices where source[index] < 0x20 || source[index] == 0x22 || source[index] == 0x5C {
        bytes.append(contentsOf: source[start..<index])
        escape(source[index])
        start = index + 1
      }
      bytes.append(contentsOf: source[start...])
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x22, 0x5C: bytes.append(byte)
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    default:
      bytes.append(contentsOf: "u00".utf8)
      bytes.append(0x30 + byte >> 4)
      bytes.append(contentsOf: String(byte & 15, radix: 16).utf8)
    }
  }

  /// Appends an integer.
  mutating func integer(_ number: some BinaryInteger) {
    let value = Int64(clamping: number)
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    var count = 1
    var rest = value.magnitude / 10
    while rest > 0 {
      rest /= 10
      count += 1
    }
    digits(value.magnitude, count: count)
  }

  /// Appends a duration in milliseconds with three digits after the point; a negative one counts as zero.
  mutating func milliseconds(_ duration: Duration) {
    let (seconds, attoseconds) = max(.zero, duration).components
    let microseconds = attoseconds / 1_000_000_000_000
    integer(seconds * 1000 + microseconds / 1000)
    bytes.append(UInt8(ascii: "."))
    digits(Int(microseconds % 1000), count: 3)
  }

  /// Appends a number with leading zeros.
  mutating func digits(_ value: Int, count: Int) { digits(value.magnitude, count: count) }

  private mutating func digits(_ value: some UnsignedInteger & FixedWidthInteger, count: Int) {
    let value = UInt64(value)
    var divisor: UInt64 = 1
    for _ in 1..<count { divisor *= 10 }
    while divisor > 0 {
      bytes.append(0x30 + UInt8(value / divisor % 10))
      divisor /= 10
    }
  }
}
