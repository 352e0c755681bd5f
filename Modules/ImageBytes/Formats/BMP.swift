/// Windows and OS/2 bitmap files.
enum BMP: ImageStructure {
  static func isRecognized(_ file: ByteReader) throws(ImageError) -> Bool {
    guard try file.matches(Array("BM".utf8), at: 0) else { return false }
    var reader = file
    reader.order = .littleEndian
    // Two letters are a weak signature; the size of the second header confirms it.
    return DIBHeader.isSize(try reader.uint32(at: 14))
  }

  static func info(
    _ file: ByteReader, _ format: ImageFormat, isCounting: Bool, _ limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    var reader = file
    try reader.skip(14)
    let header = try DIBHeader(&reader)
    return ImageInfo(
      format: .bmp, width: header.width, height: header.height, hasAlpha: header.hasAlpha, bitDepth: header.bitDepth)
  }

  static func verify(_ file: ByteReader, _ format: ImageFormat, _ limits: ImageLimits) throws(ImageError) {
    var reader = file
    reader.order = .littleEndian
    let dataOffset = try reader.uint32(at: 10)
    try reader.skip(14)
    let header = try DIBHeader(&reader)
    try limits.check(width: header.width, height: header.height, at: 14)
    guard dataOffset >= reader.position else {
      throw ImageError(.malformed, at: 10, "The pixel offset points into the header.")
    }
    // Writers omit colours that the pixels do not use; the table ends where the pixels start.
    guard header.colorsUsed <= 1 << 24 else {
      throw ImageError(.malformed, at: header.offset + 32, "The palette declares more than 2^24 colours.")
    }
    guard let dataSize = header.compression.storesRows ? header.rowsSize(header.height) : max(1, header.imageSize)
    else {
      throw ImageError(.malformed, at: header.offset, "The declared pixels are larger than any file.")
    }
    try file.window(at: dataOffset, count: dataSize).requireAll()
    if let profile = header.profile {
      try file.window(at: header.offset + profile.offset, count: profile.size).requireAll()
    }
  }
}

/// The header of a bitmap: Windows versions 1 to 5, OS/2 versions 1 and 2.
struct DIBHeader {
  /// The coding of the pixels; OS/2 2.x uses 3 and 4 for codings of its own.
  enum Compression: Int {
    case none = 0
    case rle8, rle4, bitFields, jpeg, png, alphaBitFields
    /// Huffman 1D and RLE24 of OS/2.
    case huffman, rle24

    /// Whether rows are uncompressed, so that their length follows from the width.
    var storesRows: Bool { self == .none || self == .bitFields || self == .alphaBitFields }
  }

  var offset: Int
  var size: Int
  var width: Int
  /// The absolute height; a file with a negative height stores the top row first.
  var height: Int
  /// The bits per pixel; 0 for an embedded JPEG or PNG.
  var bitCount: Int
  var compression = Compression.none
  /// The size of the pixels in bytes; 0 when the header does not state it.
  var imageSize = 0
  var colorsUsed = 0
  /// The colour profile's position from the header's start; nil without a profile.
  var profile: (offset: Int, size: Int)?
  /// The bit masks of red, green and blue; empty when the coding has no masks.
  var masks: [Int] = []
  /// The bit mask of alpha; from version 4 on it applies to every coding.
  var alphaMask = 0

  /// Returns whether a number is the size of a defined header.
  static func isSize(_ size: Int) -> Bool {
    size == 12 || (16...64).contains(size) || size == 108 || size == 124
  }

  /// Reads the header, and moves past it and any masks that follow.
  init(_ reader: inout ByteReader) throws(ImageError) {
    reader.order = .littleEndian
    offset = reader.position
    size = try reader.uint32()
    guard Self.isSize(size) else {
      throw ImageError(.malformed, at: offset, "A bitmap header of \(size) bytes is not defined.")
    }
    if size == 12 {
      width = try reader.uint16()
      height = try reader.uint16()
      bitCount = try Self.planesAndBits(&reader)
      return
    }
    width = try reader.int32()
    let signedHeight = try reader.int32()
    guard width > 0, signedHeight != 0 else {
      throw ImageError(.malformed, at: offset, "The bitmap's width or height is zero.")
    }
    height = abs(signedHeight)
    bitCount = try Self.planesAndBits(&reader)
    // The short forms of OS/2 2.x may end anywhere; missing fields are zero.
    var fields = try reader.window(at: offset, count: size)
    try fields.skip(16)
    if size >= 20 { compression = try Self.compression(try fields.uint32(), size, bitCount, at: offset) }
    if size >= 24 { imageSize = try fields.uint32() }
    if size >= 36 {
      try fields.skip(8)
      colorsUsed = try fields.uint32()
    }
    try reader.move(to: offset)
    try reader.skip(size)
    try readMasks(&reader)
    if size == 124 { try readProfile(reader) }
  }

  private static func planesAndBits(_ reader: inout ByteReader) throws(ImageError) -> Int {
    let offset = reader.position
    try reader.skip(2)
    let bits = try reader.uint16()
    guard [0, 1, 2, 4, 8, 16, 24, 32, 64].contains(bits) else {
      throw ImageError(
        .malformed, at: offset, "Pixels of \(bits) bits are not defined; expected 0, 1, 2, 4, 8, 16, 24, 32 or 64.")
    }
    return bits
  }

  private static func compression(
    _ value: Int, _ size: Int, _ bitCount: Int, at offset: Int
  ) throws(ImageError) -> Compression {
    let isOS2 = size == 64 || size < 40
    if isOS2, value == 3 { return .huffman }
    if value == 4, bitCount == 24, isOS2 { return .rle24 }
    guard let compression = Compression(rawValue: value), compression.rawValue <= 6 else {
      throw ImageError(.unsupported, at: offset, "Bitmap compression \(value) is not supported.")
    }
    return compression
  }

  /// Reads the masks.
  ///
  /// They are in the header from version 2 on, after it in version 1; the alpha mask exists from version 3 on.
  private mutating func readMasks(_ reader: inout ByteReader) throws(ImageError) {
    let usesMasks = compression == .bitFields || compression == .alphaBitFields
    var fields = reader
    if size >= 52 {
      try fields.move(to: offset + 40)
    } else if usesMasks {
      try reader.skip(compression == .alphaBitFields ? 16 : 12)
    }
    guard usesMasks || size >= 108 else { return }
    let colors = [try fields.uint32(), try fields.uint32(), try fields.uint32()]
    if usesMasks { masks = colors }
    let hasAlphaMask = size >= 56 || (compression == .alphaBitFields && size < 52)
    if hasAlphaMask { alphaMask = try fields.uint32() }
  }

  /// Reads the colour profile of version 5: the profile, or the name of its file.
  ///
  /// The former is marked `MBED`, the latter `LINK`.
  private mutating func readProfile(_ reader: ByteReader) throws(ImageError) {
    let kind = try reader.uint32(at: offset + 56)
    guard kind == 0x4D42_4544 || kind == 0x4C49_4E4B else { return }
    profile = (try reader.uint32(at: offset + 112), try reader.uint32(at: offset + 116))
  }

  /// The bits of one sample or, with a palette, of one index.
  var bitDepth: Int {
    if let widest = masks.map(\.nonzeroBitCount).max(), widest > 0 { return widest }
    return switch bitCount {
    case 16: 5
    case 64: 16
    case 0, 24, 32: 8
    default: bitCount
    }
  }

  var hasAlpha: Bool {
    alphaMask != 0 && (bitCount == 16 || bitCount == 32)
  }

  /// The size in bytes of the colour table that follows.
  var paletteSize: Int {
    guard (1...8).contains(bitCount) else { return 0 }
    let colors = colorsUsed == 0 ? 1 << bitCount : colorsUsed
    return colors * (size == 12 ? 3 : 4)
  }

  /// Returns the size of rows of uncompressed pixels; nil if no file can hold them.
  ///
  /// Each row is padded to 32 bits.
  func rowsSize(_ rows: Int) -> Int? {
    let (size, overflow) = ((width * bitCount + 31) / 32 * 4).multipliedReportingOverflow(by: rows)
    return overflow ? nil : size
  }
}
