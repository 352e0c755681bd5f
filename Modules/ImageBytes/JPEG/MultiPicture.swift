/// The index of several consecutive JPEG pictures (CIPA DC-007).
enum MultiPicture {
  private static let marker: [UInt8] = Array("MPF\0".utf8)
  private static let numberOfImages = 0xB001

  /// Returns the number of pictures in an APP2 segment; nil without a valid index.
  static func count(_ segment: ByteReader) throws(ImageError) -> Int? {
    guard segment.remaining >= 8, try segment.matches(marker, at: segment.position) else { return nil }
    try segment.requireAll()
    return try? announced(segment)
  }

  private static func announced(_ segment: ByteReader) throws(ImageError) -> Int? {
    var segment = segment
    try segment.skip(marker.count)
    var tiff = segment.takeRest()
    let (offset, isBig) = try TIFFDirectory.first(&tiff)
    let directory = try TIFFDirectory(tiff, at: offset, isBig: isBig)
    for index in 0..<min(directory.count, 16) {
      let entry = try directory.entry(index)
      guard entry.tag == numberOfImages else { continue }
      let count = try directory.value(0, of: entry)
      // 16 bytes describe each picture, all in this one segment.
      return (1...4096).contains(count) ? count : nil
    }
    return nil
  }
}
