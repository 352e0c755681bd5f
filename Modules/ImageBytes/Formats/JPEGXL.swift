/// JPEG XL, bare or in its container (ISO/IEC 18181-1, 18181-2).
enum JPEGXL: ImageStructure {
  static let containerSignature: [UInt8] = [
    0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A,
  ]
  private static let codestreamSignature: [UInt8] = [0xFF, 0x0A]

  static func info(
    _ file: ByteReader, _ format: ImageFormat, isCounting: Bool, _ limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    var parts = PartCounter(limits)
    var codestream = try codestream(file, &parts)
    guard try codestream.matches(codestreamSignature, at: codestream.position) else {
      throw ImageError(.malformed, at: codestream.position, "The codestream does not start with FF 0A.")
    }
    try codestream.skip(2)
    let header = try CodestreamHeader(codestream)
    return ImageInfo(
      format: .jxl, width: header.width, height: header.height, orientation: header.orientation,
      frames: header.isAnimated ? nil : 1, hasAlpha: header.hasAlpha, bitDepth: header.bitDepth)
  }

  /// Returns the codestream; its first part if it is split into several boxes.
  private static func codestream(_ file: ByteReader, _ parts: inout PartCounter) throws(ImageError) -> ByteReader {
    guard try isContainer(file) else { return file }
    var reader = file
    while try reader.hasMore() {
      var box = try Box(&reader, &parts)
      if box.type == .jxlc { return box.content }
      guard box.type == .jxlp else { continue }
      // The number of the part; the highest bit marks the last one.
      guard try box.content.uint32() & 0x7FFF_FFFF == 0 else {
        throw ImageError(.malformed, at: box.offset, "The first part of the codestream is missing.")
      }
      return box.content
    }
    throw ImageError(.malformed, at: 0, "The container has no codestream.")
  }

  private static func isContainer(_ file: ByteReader) throws(ImageError) -> Bool {
    try file.matches(containerSignature, at: 0)
  }

  static func verify(_ file: ByteReader, _ format: ImageFormat, _ limits: ImageLimits) throws(ImageError) {
    guard try isContainer(file) else { return }
    var parts = PartCounter(limits)
    var reader = file
    var nextPart = 0
    var isComplete = false
    while try reader.hasMore() {
      var box = try Box(&reader, &parts)
      try box.content.requireAll()
      switch box.type {
      case .jxlc:
        guard !isComplete, nextPart == 0 else {
          throw ImageError(.malformed, at: box.offset, "There are two codestreams.")
        }
        isComplete = true
      case .jxlp:
        let index = try box.content.uint32()
        guard !isComplete, index & 0x7FFF_FFFF == nextPart else {
          throw ImageError(.malformed, at: box.offset, "The parts of the codestream are not in order.")
        }
        nextPart += 1
        isComplete = index >> 31 == 1
      default: break
      }
    }
    guard isComplete else { throw reader.endedEarly }
  }
}

extension FourCC {
  fileprivate static let jxlc = FourCC("jxlc")
  fileprivate static let jxlp = FourCC("jxlp")
}

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

/// Reads bits, lowest first, as in JPEG XL headers (ISO/IEC 18181-1 §B).
struct BitReader {
  private var bytes: ByteReader
  private var current = 0
  private var left = 0

  init(_ bytes: ByteReader) {
    self.bytes = bytes
  }

  mutating func bool() throws(ImageError) -> Bool {
    try bits(1) == 1
  }

  /// Returns a number of up to 32 bits.
  mutating func bits(_ count: Int) throws(ImageError) -> Int {
    var value = 0
    var read = 0
    while read < count {
      if left == 0 {
        current = try bytes.uint8()
        left = 8
      }
      let taken = min(left, count - read)
      value |= (current & (1 << taken - 1)) << read
      current >>= taken
      left -= taken
      read += taken
    }
    return value
  }

  /// One of four codings of a number: an offset, plus a number of bits.
  struct Form {
    var offset: Int
    var bits: Int

    static func value(_ value: Int) -> Form { Form(offset: value, bits: 0) }
    static func bits(_ bits: Int, offset: Int = 0) -> Form { Form(offset: offset, bits: bits) }
  }

  /// Returns a number in the coding that two bits select.
  mutating func number(_ first: Form, _ second: Form, _ third: Form, _ fourth: Form) throws(ImageError) -> Int {
    let form =
      switch try bits(2) {
      case 0: first
      case 1: second
      case 2: third
      default: fourth
      }
    return form.offset + (try bits(form.bits))
  }
}
