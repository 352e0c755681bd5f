public import FoundationEssentials

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

/// The result of reading the beginning of a picture.
public enum ImageProbe: Hashable, Sendable {
  /// The header is complete.
  case info(ImageInfo)
  /// The header continues: try again with at least this many bytes.
  ///
  /// They are counted from the start, and are always more than were given.
  case needsMoreBytes(atLeast: Int)
}

extension ImageInfo {
  /// Reads the header of a complete file and counts its frames.
  ///
  /// No pixel is decoded and a single picture's data is not read, so the cost does not grow with its size. Counting
  /// frames reads the blocks of a GIF, the chunks of an animated WebP and the pages of a TIFF. For a truncated file it
  /// throws an error, or returns the same result as for the whole file if the missing part has no influence;
  /// ``init(verifying:limits:)`` always rejects it.
  ///
  /// - Throws: ``ImageError`` of any kind except ``ImageError/Kind/checksumMismatch``.
  public init(of bytes: some ContiguousBytes, limits: ImageLimits = .default) throws(ImageError) {
    self = try ImageSource.read(bytes, .frames, limits)
  }

  /// Reads the header of a file from its first bytes.
  ///
  /// Call it again when the requested number of bytes has arrived. It may ask for up to an eighth more than necessary;
  /// if the file ends before that, pass all of it to ``init(of:limits:)``.
  ///
  /// - Parameter beginning: The first bytes of the file.
  /// - Returns: The properties, with ``frames`` nil when the header does not state them, or the number of bytes needed.
  /// - Throws: ``ImageError`` when no further bytes can make it a picture within the limits.
  public static func probe(
    _ beginning: some ContiguousBytes, limits: ImageLimits = .default
  ) throws(ImageError) -> ImageProbe {
    do throws(ImageError) {
      return .info(try ImageSource.read(beginning, .header, limits))
    } catch {
      guard error.kind == .truncated, let needed = error.neededBytes else { throw error }
      // Each call starts over. Steps that grow with the bytes keep the total work proportional to the last call, even
      // if the header has very many small parts.
      let count = beginning.withUnsafeBytes { $0.count }
      return .needsMoreBytes(atLeast: max(needed, count + count / 8))
    }
  }

  /// Reads a complete file and checks its structure from start to end.
  ///
  /// Rejected are truncated files, parts that exceed their container, missing trailers, and wrong checksums (PNG).
  /// Compressed data is not decoded, so damage inside it is not found in formats without checksums; a bare JPEG XL
  /// codestream has no structure to check after its header. Bytes after the trailer are allowed.
  ///
  /// - Throws: ``ImageError`` with the offset of the first fault.
  public init(verifying bytes: some ContiguousBytes, limits: ImageLimits = .default) throws(ImageError) {
    self = try ImageSource.read(bytes, .structure, limits)
  }
}

extension ImageFormat {
  /// Recognizes a format by the first bytes of a file; nil when none matches.
  ///
  /// 64 bytes suffice, except for SVG, whose first tag may follow long comments, and APNG, which looks like PNG until
  /// its `acTL` chunk.
  public init?(recognizing beginning: some ContiguousBytes) {
    let format = beginning.withUnsafeBytes { bytes in
      try? ImageRecognition.format(of: ByteReader(bytes, isPrefix: true))
    }
    guard let format else { return nil }
    self = format
  }
}
