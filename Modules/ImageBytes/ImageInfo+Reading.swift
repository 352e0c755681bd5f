public import FoundationEssentials

/// What the beginning of a picture tells.
public enum ImageProbe: Hashable, Sendable {
  /// The header is complete.
  case info(ImageInfo)
  /// The header goes on: ask again with at least so many bytes.
  ///
  /// They count from the start, and are always more than were given.
  case needsMoreBytes(atLeast: Int)
}

extension ImageInfo {
  /// Reads the header of a complete file and counts its frames.
  ///
  /// No pixel is decoded, and the data of a single picture is not touched: the cost does not grow with its size.
  /// Counting frames walks over the blocks of a GIF, the chunks of an animated WebP, the pages of a TIFF.
  /// A file that was cut gives an error or, when the missing part says nothing about these properties, the same
  /// answer as the whole one; ``init(verifying:limits:)`` refuses it always.
  ///
  /// - Throws: ``ImageError``, of any kind but ``ImageError/Kind/checksumMismatch``.
  public init(of bytes: some ContiguousBytes, limits: ImageLimits = .default) throws(ImageError) {
    self = try ImageSource.read(bytes, .frames, limits)
  }

  /// Reads the header from as much of a file as has arrived.
  ///
  /// Call it again when as many bytes are there as it asks for. It asks for an eighth more than it was given where
  /// less might do, so the file may end before that: then hand all of it to ``init(of:limits:)``.
  ///
  /// - Parameter beginning: the first bytes of the file.
  /// - Returns: the properties, with ``frames`` nil where the header does not state them, or how many bytes it takes.
  /// - Throws: ``ImageError`` when no further byte can make it a picture within the limits.
  public static func probe(
    _ beginning: some ContiguousBytes, limits: ImageLimits = .default
  ) throws(ImageError) -> ImageProbe {
    do throws(ImageError) {
      return .info(try ImageSource.read(beginning, .header, limits))
    } catch {
      guard error.kind == .truncated, let needed = error.neededBytes else { throw error }
      // Each call reads the beginning again. Steps that grow with it keep the sum of all calls proportional to
      // the last one, also for a header of very many small parts.
      let count = beginning.withUnsafeBytes { $0.count }
      return .needsMoreBytes(atLeast: max(needed, count + count / 8))
    }
  }

  /// Reads a complete file and checks its structure from end to end.
  ///
  /// Refuses cut files, parts that reach beyond what contains them, missing trailers, and checksums that do not
  /// agree where the format has them (PNG). Compressed data is not decoded, so damage inside it passes in formats
  /// without checksums; a bare JPEG XL codestream has no structure to check behind its header. Bytes behind the
  /// trailer are allowed.
  ///
  /// - Throws: ``ImageError`` with the offset of the first fault.
  public init(verifying bytes: some ContiguousBytes, limits: ImageLimits = .default) throws(ImageError) {
    self = try ImageSource.read(bytes, .structure, limits)
  }
}

extension ImageFormat {
  /// Recognizes a format by the first bytes of a file, nil when they fit none.
  ///
  /// 64 bytes are enough for all but SVG, whose first tag may follow long comments, and APNG, which is a PNG until
  /// its `acTL` chunk is among the bytes.
  public init?(recognizing beginning: some ContiguousBytes) {
    let format = beginning.withUnsafeBytes { bytes in
      try? ImageRecognition.format(of: ByteReader(bytes, isPrefix: true))
    }
    guard let format else { return nil }
    self = format
  }
}
