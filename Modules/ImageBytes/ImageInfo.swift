/// What the header of a picture says, without decoding a pixel.
///
/// ```swift
/// let info = try ImageInfo(of: data)
/// print(info.format, info.displayWidth, info.displayHeight)
/// ```
public struct ImageInfo: Hashable, Sendable {
  /// The format its content shows.
  public var format: ImageFormat
  /// The media type to send it under: the format's own, or that of a sequence.
  public var mediaType: String
  /// Width in pixels as stored, before ``orientation``; at least 1.
  ///
  /// The canvas of an animation, the largest picture of an icon, the first page of a TIFF. An SVG gives its size
  /// in CSS pixels, rounded; 300 × 150 where it states neither a size nor a view box (CSS 2.1 §10.3.2).
  /// The crop of HEIF (`clap`) is applied.
  public var width: Int
  /// Height in pixels as stored, before ``orientation``; at least 1.
  public var height: Int
  /// How to turn the stored pixels to see them upright.
  ///
  /// ``ImageOrientation/up`` where nothing, or nothing readable, is said of it.
  public var orientation: ImageOrientation
  /// How many pictures follow each other.
  ///
  /// Frames of an animation, pages of a TIFF, pictures of a multi-picture JPEG.
  /// Nil when they were not counted: from a beginning of the file that does not state their number, and for
  /// animated JPEG XL, where only decoding tells. The sizes of an icon are one picture.
  public var frames: Int?
  /// Whether pixels can be transparent, by what the header declares.
  ///
  /// For a GIF it is the first frame that counts. Always true for an SVG.
  public var hasAlpha: Bool
  /// Bits of one sample, of the index where there is a palette.
  ///
  /// The widest where they differ; nil for an SVG.
  public var bitDepth: Int?
  /// How many bytes were given.
  public var bytes: Int
}

extension ImageInfo {
  /// Width in pixels of the picture seen upright.
  public var displayWidth: Int { orientation.swapsSides ? height : width }

  /// Height in pixels of the picture seen upright.
  public var displayHeight: Int { orientation.swapsSides ? width : height }

  /// States the properties of a picture that are known otherwise.
  ///
  /// - Parameter mediaType: nil for that of the format.
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
