/// The properties in a picture's header, read without decoding a pixel.
///
/// ```swift
/// let info = try ImageInfo(of: data)
/// print(info.format, info.displayWidth, info.displayHeight)
/// ```
public struct ImageInfo: Hashable, Sendable {
  /// The format, according to the content.
  public var format: ImageFormat
  /// The media type for sending it: the format's, or that of a sequence.
  public var mediaType: String
  /// The width in stored pixels, before applying ``orientation``; at least 1.
  ///
  /// For an animation it is the canvas, for an icon the largest picture, for a TIFF the first page. For an SVG it is in
  /// CSS pixels, rounded; 300 × 150 if it has neither a size nor a view box (CSS 2.1 §10.3.2). The crop of HEIF
  /// (`clap`) is applied.
  public var width: Int
  /// The height in stored pixels, before applying ``orientation``; at least 1.
  public var height: Int
  /// The transformation that shows the stored pixels upright.
  ///
  /// ``ImageOrientation/up`` when the file states none, or none that can be read.
  public var orientation: ImageOrientation
  /// The number of consecutive pictures.
  ///
  /// They are frames of an animation, pages of a TIFF, or pictures of a multi-picture JPEG. Nil when they were not
  /// counted: for the beginning of a file that does not state their number, and for animated JPEG XL, which would have
  /// to be decoded. The sizes of an icon are one picture.
  public var frames: Int?
  /// Whether the header declares that pixels can be transparent.
  ///
  /// For a GIF the first frame counts. Always true for an SVG.
  public var hasAlpha: Bool
  /// The bits of one sample or, with a palette, of one index.
  ///
  /// If samples differ, it is the widest one's. Nil for an SVG.
  public var bitDepth: Int?
  /// The number of bytes that the caller passed.
  public var bytes: Int
}

extension ImageInfo {
  /// The width in pixels when shown upright.
  public var displayWidth: Int { orientation.swapsSides ? height : width }

  /// The height in pixels when shown upright.
  public var displayHeight: Int { orientation.swapsSides ? width : height }

  /// Creates a description from known properties.
  ///
  /// - Parameter mediaType: The media type; nil means the format's.
  public init(
    format: ImageFormat, mediaType: String? = nil, width: Int, height: Int, orientation: ImageOrientation = .up,
    frames: Int? = 1, hasAlpha: Bool = false, bitDepth: Int? = 8, bytes: Int = 0
  ) {
    self.format = format
    self.mediaType = mediaType ?? format.mediaType
    self.width = width
    self.height = height
    self.orientation = orientation
    self.frames = frames
    self.hasAlpha = hasAlpha
    self.bitDepth = bitDepth
    self.bytes = bytes
  }
}
