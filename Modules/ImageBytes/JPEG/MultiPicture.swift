/// The index of several JPEG pictures behind each other (CIPA DC-007).
enum MultiPicture {
  private static let marker: [UInt8] = Array("MPF\0".utf8)
  private static let numberOfImages = 0xB001

  /// How many pictures an APP2 segment announces, nil when it is no such index or cannot be read.
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
      // 16 bytes describe each picture, and all of them stand in this one segment.
      return (1...4096).contains(count) ? count : nil
    }
    return nil
  }
}
