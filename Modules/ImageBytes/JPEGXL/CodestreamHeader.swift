/// The start of a JPEG XL codestream: size and metadata (ISO/IEC 18181-1 annex D).
struct CodestreamHeader {
  var width: Int
  var height: Int
  var orientation = ImageOrientation.up
  var isAnimated = false
  var bitDepth = 8
  var hasAlpha = false

  /// Reads the header after the codestream's two signature bytes.
  init(_ bytes: ByteReader) throws(ImageError) {
    var reader = BitReader(bytes)
    (width, height) = try Self.size(&reader)
    if try reader.bool() { return }
    if try reader.bool() {
      orientation = ImageOrientation(rawValue: 1 + (try reader.bits(3))) ?? .up
      if try reader.bool() { _ = try Self.size(&reader) }
      if try reader.bool() { try Self.skipPreview(&reader) }
      isAnimated = try reader.bool()
      if isAnimated { try Self.skipAnimation(&reader) }
    }
    bitDepth = try Self.bitDepth(&reader)
    _ = try reader.bool()
    let channels = try reader.number(.value(0), .value(1), .bits(4, offset: 2), .bits(12, offset: 1))
    for _ in 0..<channels {
      let isAlpha = try Self.isAlphaChannel(&reader)
      hasAlpha = hasAlpha || isAlpha
    }
  }

  /// Returns the width for a height and a ratio other than 0.
  private static func width(_ height: Int, ratio: Int) -> Int {
    switch ratio {
    case 1: height
    case 2: height * 12 / 10
    case 3: height * 4 / 3
    case 4: height * 3 / 2
    case 5: height * 16 / 9
    case 6: height * 5 / 4
    default: height * 2
    }
  }

  private static func size(_ reader: inout BitReader) throws(ImageError) -> (width: Int, height: Int) {
    let isDividedBy8 = try reader.bool()
    let height = try side(&reader, isDividedBy8)
    let ratio = try reader.bits(3)
    return (ratio == 0 ? try side(&reader, isDividedBy8) : width(height, ratio: ratio), height)
  }

  private static func side(_ reader: inout BitReader, _ isDividedBy8: Bool) throws(ImageError) -> Int {
    if isDividedBy8 { return 8 * (1 + (try reader.bits(5))) }
    return try reader.number(
      .bits(9, offset: 1), .bits(13, offset: 1), .bits(18, offset: 1), .bits(30, offset: 1))
  }

  private static func skipPreview(_ reader: inout BitReader) throws(ImageError) {
    let isDividedBy8 = try reader.bool()
    func skipSide() throws(ImageError) {
      if isDividedBy8 {
        _ = try reader.number(.value(16), .value(32), .bits(5, offset: 1), .bits(9, offset: 33))
      } else {
        _ = try reader.number(
          .bits(6, offset: 1), .bits(8, offset: 65), .bits(10, offset: 321), .bits(12, offset: 1345))
      }
    }
    try skipSide()
    if try reader.bits(3) == 0 { try skipSide() }
  }

  private static func skipAnimation(_ reader: inout BitReader) throws(ImageError) {
    _ = try reader.number(.value(100), .value(1000), .bits(10, offset: 1), .bits(30, offset: 1))
    _ = try reader.number(.value(1), .value(1001), .bits(8, offset: 1), .bits(10, offset: 1))
    _ = try reader.number(.value(0), .bits(3), .bits(16), .bits(32))
    _ = try reader.bool()
  }

  private static func bitDepth(_ reader: inout BitReader) throws(ImageError) -> Int {
    guard try reader.bool() else {
      return try reader.number(.value(8), .value(10), .value(12), .bits(6, offset: 1))
    }
    let bits = try reader.number(.value(32), .value(16), .value(24), .bits(6, offset: 1))
    _ = try reader.bits(4)
    return bits
  }

  /// Reads one extra channel and returns whether it is alpha.
  private static func isAlphaChannel(_ reader: inout BitReader) throws(ImageError) -> Bool {
    if try reader.bool() { return true }
    let type = try reader.number(.value(0), .value(1), .bits(4, offset: 2), .bits(6, offset: 18))
    _ = try bitDepth(&reader)
    _ = try reader.number(.value(0), .value(3), .value(4), .bits(3, offset: 1))
    let nameLength = try reader.number(.value(0), .bits(4), .bits(5, offset: 16), .bits(10, offset: 48))
    for _ in 0..<nameLength { _ = try reader.bits(8) }
    switch type {
    case 0: _ = try reader.bool()
    case 2: for _ in 0..<4 { _ = try reader.bits(16) }
    case 5: _ = try reader.number(.value(1), .bits(2), .bits(4, offset: 3), .bits(8, offset: 19))
    default: break
    }
    return type == 0
  }
}
