public import FoundationEssentials

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
