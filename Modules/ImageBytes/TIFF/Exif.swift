/// Reads the orientation in EXIF data that other formats contain.
enum Exif {
  private static let marker: [UInt8] = Array("Exif\0".utf8)

  /// Returns the orientation in a complete block; nil if it states none.
  ///
  /// A damaged block is not an error, because it does not affect the picture. The block may start with JPEG's prefix.
  static func orientation(_ block: ByteReader) -> ImageOrientation? {
    guard let tiff = try? content(block) else { return nil }
    return try? firstOrientation(tiff)
  }

  /// Returns whether a JPEG segment contains EXIF.
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
    // A block has at most 64 KiB in JPEG, but no such limit in other formats.
    for index in 0..<min(directory.count, 4096) {
      let entry = try directory.entry(index)
      guard entry.tag == TIFF.Tag.orientation else { continue }
      return ImageOrientation(rawValue: try directory.value(0, of: entry))
    }
    return nil
  }
}
