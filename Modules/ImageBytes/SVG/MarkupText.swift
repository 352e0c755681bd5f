/// Reads the characters of a markup file in UTF-8 or UTF-16.
///
/// Only ASCII matters for finding tags; every other unit is read as `0xFF`.
struct MarkupText {
  private var bytes: ByteReader
  private let unitSize: Int
  /// The offset of the next unit.
  var offset: Int { bytes.position }

  /// Detects the encoding by the byte order mark or the zeros around the first `<`.
  init(_ file: ByteReader) throws(ImageError) {
    bytes = file
    let first = try file.uint8(at: 0)
    // Only these first bytes require a second one; a short text must not ask for more than it has.
    let second = [0x00, 0x3C, 0xFE, 0xFF].contains(first) ? try file.uint8(at: 1) : 1
    switch (first, second) {
    case (0xFE, 0xFF), (0x00, 0x3C): bytes.order = .bigEndian
    case (0xFF, 0xFE), (0x3C, 0x00): bytes.order = .littleEndian
    default:
      unitSize = 1
      if first == 0xEF, try file.matches([0xEF, 0xBB, 0xBF], at: 0) { try bytes.skip(3) }
      return
    }
    unitSize = 2
    if first >= 0xFE { try bytes.skip(2) }
  }

  /// Returns the next unit; nil at the end of the file.
  mutating func next() throws(ImageError) -> UInt8? {
    guard try bytes.hasMore() else { return nil }
    let unit = try unitSize == 1 ? bytes.uint8() : bytes.uint16()
    return unit < 0x80 ? UInt8(truncatingIfNeeded: unit) : 0xFF
  }

  /// Moves to the next `<`, or to the end.
  mutating func skipText() throws(ImageError) {
    guard unitSize == 1 else {
      while true {
        let before = bytes
        guard let unit = try next() else { return }
        if unit == UInt8(ascii: "<") {
          bytes = before
          return
        }
      }
    }
    try bytes.move(to: bytes.firstOffset(of: UInt8(ascii: "<")) ?? max(bytes.position, bytes.availableBytes))
  }
}
