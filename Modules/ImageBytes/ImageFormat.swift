/// A picture format that is recognized by its content.
///
/// A file name and a declared media type are only hints; the first bytes decide. The raw value is the short name that
/// `curlew decode image` prints.
public enum ImageFormat: String, CaseIterable, Hashable, Sendable {
  /// Portable Network Graphics with one picture (PNG, third edition).
  case png
  /// A PNG whose `acTL` chunk declares an animation.
  case apng
  /// JPEG, also with several pictures in sequence (CIPA DC-007).
  case jpeg
  /// GIF 87a and 89a.
  case gif
  /// WebP: lossy, lossless, extended and animated (RFC 9649).
  case webp
  /// Windows bitmap with any header, including those of OS/2.
  case bmp
  /// TIFF 6.0 and BigTIFF, in both byte orders.
  case tiff
  /// Windows icon: several sizes of one picture.
  case ico
  /// Windows cursor: an icon with a hot spot.
  case cur
  /// AV1 in HEIF, single pictures and sequences.
  case avif
  /// HEVC in HEIF, single pictures and sequences.
  case heic
  /// HEIF with any other coding inside (ISO/IEC 23008-12).
  case heif
  /// Scalable Vector Graphics, as text in UTF-8 or UTF-16.
  case svg
  /// JPEG XL, as a bare codestream or in its container (ISO/IEC 18181).
  case jxl
}

extension ImageFormat {
  /// The registered media type, without parameters, in lower case.
  public var mediaType: String {
    switch self {
    case .png: "image/png"
    case .apng: "image/apng"
    case .jpeg: "image/jpeg"
    case .gif: "image/gif"
    case .webp: "image/webp"
    case .bmp: "image/bmp"
    case .tiff: "image/tiff"
    case .ico: "image/vnd.microsoft.icon"
    case .cur: "image/x-win-bitmap"
    case .avif: "image/avif"
    case .heic: "image/heic"
    case .heif: "image/heif"
    case .svg: "image/svg+xml"
    case .jxl: "image/jxl"
    }
  }

  /// All media types that servers use for this format.
  ///
  /// The first is ``mediaType``.
  public var mediaTypes: [String] {
    switch self {
    case .png: [mediaType, "image/x-png"]
    case .apng: [mediaType, "image/vnd.mozilla.apng"]
    case .jpeg: [mediaType, "image/jpg", "image/pjpeg"]
    case .bmp: [mediaType, "image/x-bmp", "image/x-ms-bmp", "image/x-xbitmap"]
    case .tiff: [mediaType, "image/tiff-fx"]
    case .ico: [mediaType, "image/x-icon", "image/ico"]
    case .avif: [mediaType, "image/avif-sequence"]
    case .heic: [mediaType, "image/heic-sequence"]
    case .heif: [mediaType, "image/heif-sequence"]
    case .gif, .webp, .cur, .svg, .jxl: [mediaType]
    }
  }

  /// The usual file name extension, without the dot.
  public var fileExtension: String {
    switch self {
    case .jpeg: "jpg"
    case .tiff: "tif"
    case .png, .apng, .gif, .webp, .bmp, .ico, .cur, .avif, .heic, .heif, .svg, .jxl: rawValue
    }
  }

  /// Creates the format of a media type; nil for any other type.
  ///
  /// - Parameter mediaType: The type and subtype in any case; parameters after a `;` are ignored.
  public init?(mediaType: String) {
    let essence = mediaType.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    guard let format = Self.allCases.first(where: { $0.mediaTypes.contains(essence) }) else { return nil }
    self = format
  }

  /// The media types that a response with a picture may have.
  ///
  /// All of ``mediaTypes``, and `application/octet-stream`, which is used for every format.
  public static let acceptableMediaTypes: Set<String> = {
    var types = Set(allCases.flatMap(\.mediaTypes))
    types.insert("application/octet-stream")
    return types
  }()
}

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
