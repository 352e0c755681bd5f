import FoundationEssentials

/// A reader for all formats that share one structure.
protocol ImageStructure {
  /// Returns the properties; `frames` may be nil for the depth `header`.
  static func info(
    _ file: ByteReader, _ format: ImageFormat, isCounting: Bool, _ limits: ImageLimits
  ) throws(ImageError) -> ImageInfo

  /// Checks everything in the file except compressed data.
  static func verify(_ file: ByteReader, _ format: ImageFormat, _ limits: ImageLimits) throws(ImageError)
}

/// Chooses the reader for a file's bytes.
enum ImageSource {
  /// How much of the file is available, and how much of it is read.
  enum Depth {
    /// The beginning of the file; only the header is read.
    case header
    /// The whole file; the header is read, and whatever is needed to count frames.
    case frames
    /// The whole file; all of it is checked.
    case structure
  }

  static func read(
    _ bytes: some ContiguousBytes, _ depth: Depth, _ limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    let result: Result<ImageInfo, ImageError> = bytes.withUnsafeBytes { buffer in
      let file = ByteReader(buffer, isPrefix: depth == .header)
      do throws(ImageError) {
        return .success(try read(file, depth, limits))
      } catch {
        var error = error
        error.format = try? ImageRecognition.format(of: file)
        return .failure(error)
      }
    }
    return try result.get()
  }

  private static func read(
    _ file: ByteReader, _ depth: Depth, _ limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    let format = try ImageRecognition.format(of: file)
    let structure = structure(of: format)
    var info = try structure.info(file, format, isCounting: depth != .header, limits)
    try limits.check(width: info.width, height: info.height, at: 0)
    if depth == .structure { try structure.verify(file, info.format, limits) }
    info.bytes = file.availableBytes
    return info
  }

  private static func structure(of format: ImageFormat) -> any ImageStructure.Type {
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
}
