/// The short form of a picture file: a `mini` box in place of `meta`.
///
/// ISO/IEC 23008-12:2025, amendment 1.
struct MinimizedImage {
  private var width: Int
  private var height: Int
  private var orientation: ImageOrientation
  private var hasAlpha: Bool
  private var bitDepth: Int

  init(_ content: ByteReader) throws(ImageError) {
    let bits = try content.uint(bytes: 7, at: content.start)
    var left = 56
    func take(_ count: Int) -> Int {
      left -= count
      return Int(bits >> UInt64(left) & (1 << UInt64(count) - 1))
    }
    guard take(2) == 0 else {
      throw ImageError(.unsupported, at: content.start, "The short form has an unsupported version.")
    }
    _ = take(1)
    let isFloat = take(1) == 1
    _ = take(1)
    hasAlpha = take(1) == 1
    // Colour, HDR, ICC, EXIF and XMP flags.
    _ = take(5)
    let subsampling = take(2)
    orientation = ImageOrientation(rawValue: 1 + take(3)) ?? .up
    let sideBits = take(1) == 1 ? 15 : 7
    width = 1 + take(sideBits)
    height = 1 + take(sideBits)
    // Flags for the position of the colour samples: horizontal for 4:2:0 and 4:2:2, vertical for 4:2:0.
    if subsampling == 1 || subsampling == 2 { _ = take(1) }
    if subsampling == 1 { _ = take(1) }
    if isFloat {
      bitDepth = 16 << take(2)
    } else {
      bitDepth = take(1) == 1 ? 9 + take(3) : 8
    }
  }

  func info(_ format: ImageFormat) -> ImageInfo {
    ImageInfo(
      format: format, width: width, height: height, orientation: orientation, hasAlpha: hasAlpha, bitDepth: bitDepth)
  }
}
