/// Recognizes the format of a file by its first bytes.
enum ImageRecognition {
  /// Returns the format; does not look for an animation in a PNG.
  static func format(of file: ByteReader) throws(ImageError) -> ImageFormat {
    guard file.isPrefix || file.availableBytes > 0 else { throw unrecognized }
    do {
      if let format = try signature(file) { return format }
    } catch {
      // A file that ends inside its signature may still become a picture; it is not truncated yet.
      guard file.isPrefix else { throw unrecognized }
      throw error
    }
    throw unrecognized
  }

  private static let unrecognized = ImageError(
    .unrecognized, at: 0, "The bytes match none of the supported picture formats.")

  private static func signature(_ file: ByteReader) throws(ImageError) -> ImageFormat? {
    switch try file.uint8(at: 0) {
    case 0x89: return try file.matches(PNG.signature, at: 0) ? .png : nil
    case 0xFF:
      if try file.uint8(at: 1) == 0x0A { return .jxl }
      if try file.matches(JPEG.signature, at: 0) { return .jpeg }
      return try SVG.isRecognized(file) ? .svg : nil
    case 0x47: return try GIF.isRecognized(file) ? .gif : nil
    case 0x52: return try WebP.isRecognized(file) ? .webp : nil
    case 0x42: return try BMP.isRecognized(file) ? .bmp : nil
    case 0x49, 0x4D: return try TIFF.isRecognized(file) ? .tiff : nil
    case 0x00:
      if try file.matches(JPEGXL.containerSignature, at: 0) { return .jxl }
      if try file.matches(Array("ftyp".utf8), at: 4) { return try HEIF.brandFormat(file) }
      if try ICO.isRecognized(file) { return try file.uint8(at: 2) == 1 ? .ico : .cur }
      return try SVG.isRecognized(file) ? .svg : nil
    default: return try SVG.isRecognized(file) ? .svg : nil
    }
  }
}
