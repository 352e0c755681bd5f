import FoundationEssentials

/// One family of formats that share their structure.
protocol ImageStructure {
  /// The properties; `frames` is nil when counting is not wanted and the header does not tell them.
  static func info(
    _ file: ByteReader, _ format: ImageFormat, isCounting: Bool, _ limits: ImageLimits
  ) throws(ImageError) -> ImageInfo

  /// Checks everything between the first byte and the last that is not compressed data.
  static func verify(_ file: ByteReader, _ format: ImageFormat, _ limits: ImageLimits) throws(ImageError)
}

/// From bytes to the structure that reads them.
enum ImageSource {
  /// Lends the bytes to a reader and names the format in the error.
  static func read(
    _ bytes: some ContiguousBytes, isPrefix: Bool, _ body: (ByteReader) -> Result<ImageInfo, ImageError>
  ) throws(ImageError) -> ImageInfo {
    let result = bytes.withUnsafeBytes { buffer in
      let file = ByteReader(buffer, isPrefix: isPrefix)
      return body(file)
        .map { info in
          var info = info
          info.bytes = buffer.count
          return info
        }
        .mapError { error in
          var error = error
          error.format = try? recognize(file)
          return error
        }
    }
    return try result.get()
  }

  /// The outcome of a throwing step as a value, which can leave a closure that may not throw.
  static func result(_ step: () throws(ImageError) -> ImageInfo) -> Result<ImageInfo, ImageError> {
    do throws(ImageError) { return .success(try step()) } catch { return .failure(error) }
  }

  static func info(
    _ file: ByteReader, isCounting: Bool, _ limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    let format = try recognize(file)
    let info = try structure(of: format).info(file, format, isCounting: isCounting, limits)
    try limits.check(width: info.width, height: info.height, at: 0)
    return info
  }

  static func verify(_ file: ByteReader, _ limits: ImageLimits) throws(ImageError) -> ImageInfo {
    let info = try info(file, isCounting: true, limits)
    try structure(of: info.format).verify(file, info.format, limits)
    return info
  }

  static func structure(of format: ImageFormat) -> any ImageStructure.Type {
    switch format {
    case .png, .apng: PNG.self
    case .jpeg: JPEG.self
    case .gif: GIF.self
    case .webp: WebP.self
    case .bmp: BMP.self
    case .tiff: TIFF.self
    case .ico, .cur: ICO.self
    case .avif, .heic, .heif: HEIF.self
    case .svg: SVG.self
    case .jxl: JPEGXL.self
    }
  }

  /// The format by the first bytes; for a PNG without looking for an animation.
  static func recognize(_ file: ByteReader) throws(ImageError) -> ImageFormat {
    guard file.isPrefix || file.availableBytes > 0 else { throw unrecognized }
    do {
      if let format = try signature(file) { return format }
    } catch {
      // What ends inside its signature is nothing yet, not a cut picture.
      guard file.isPrefix else { throw unrecognized }
      throw error
    }
    throw unrecognized
  }

  private static let unrecognized = ImageError(
    .unrecognized, at: 0, "The bytes are in no picture format that is known here.")

  private static func signature(_ file: ByteReader) throws(ImageError) -> ImageFormat? {
    switch try file.uint8(at: 0) {
    case 0x89: return try file.matches(PNG.signature, at: 0) ? .png : nil
    case 0xFF:
      if try file.uint8(at: 1) == 0x0A { return .jxl }
      if try file.matches(JPEG.signature, at: 0) { return .jpeg }
      return try SVG.isRecognized(file) ? .svg : nil
    case UInt8(ascii: "G").int: return try GIF.isRecognized(file) ? .gif : nil
    case UInt8(ascii: "R").int: return try WebP.isRecognized(file) ? .webp : nil
    case UInt8(ascii: "B").int: return try BMP.isRecognized(file) ? .bmp : nil
    case UInt8(ascii: "I").int, UInt8(ascii: "M").int: return try TIFF.isRecognized(file) ? .tiff : nil
    case 0x00:
      if try file.matches(JPEGXL.containerSignature, at: 0) { return .jxl }
      if try file.matches(Array("ftyp".utf8), at: 4) { return try HEIF.brandFormat(file) }
      if try ICO.isRecognized(file) { return try file.uint8(at: 2) == 1 ? .ico : .cur }
      return try SVG.isRecognized(file) ? .svg : nil
    default: return try SVG.isRecognized(file) ? .svg : nil
    }
  }
}

extension UInt8 {
  fileprivate var int: Int { Int(self) }
}
