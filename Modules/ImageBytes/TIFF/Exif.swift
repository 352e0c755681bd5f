/// The orientation among the EXIF data other formats carry.
enum Exif {
  private static let marker: [UInt8] = Array("Exif\0".utf8)

  /// The orientation of a block that is completely there, nil when it states none that can be read.
  ///
  /// A broken block says nothing about the picture, so it is no error. The block may start with the letters that
  /// JPEG puts before it.
  static func orientation(_ block: ByteReader) -> ImageOrientation? {
    guard let tiff = try? content(block) else { return nil }
    return try? firstOrientation(tiff)
  }

  /// Whether a JPEG segment is one of EXIF.
  static func isExif(_ segment: ByteReader) throws(ImageError) -> Bool {
    guard segment.remaining >= 6 else { return false }
    return try segment.matches(marker, at: segment.position)
  }

  private static func content(_ block: ByteReader) throws(ImageError) -> ByteReader {
    var block = block
    if try isExif(block) { try block.skip(6) }
    return block.takeRest()
  }

  private static func firstOrientation(_ tiff: ByteReader) throws(ImageError) -> ImageOrientation? {
    var reader = tiff
    let (offset, isBig) = try TIFFDirectory.first(&reader)
    let directory = try TIFFDirectory(reader, at: offset, isBig: isBig)
    // A block is at most 64 KiB in JPEG, but has no such bound elsewhere.
    for index in 0..<min(directory.count, 4096) {
      let entry = try directory.entry(index)
      guard entry.tag == TIFF.Tag.orientation else { continue }
      return ImageOrientation(rawValue: try directory.value(0, of: entry))
    }
    return nil
  }
}
