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
