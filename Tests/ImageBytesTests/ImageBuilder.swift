/// Pictures made by hand, with as little in them as their formats allow.
enum ImageBuilder {
  static func bigEndian(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  static func littleEndian(_ value: Int, _ count: Int) -> [UInt8] {
    bigEndian(value, count).reversed()
  }

  // MARK: PNG

  static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The CRC of PNG bit by bit, as its specification defines it: a second opinion on the tables.
  static func crc(_ bytes: [UInt8]) -> Int {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? 0xEDB8_8320 ^ crc >> 1 : crc >> 1 }
    }
    return Int(~crc)
  }

  static func chunk(_ type: String, _ data: [UInt8] = []) -> [UInt8] {
    bigEndian(data.count, 4) + type.utf8 + data + bigEndian(crc(type.utf8 + data), 4)
  }

  static func header(_ width: Int, _ height: Int, depth: Int = 8, color: Int = 2) -> [UInt8] {
    chunk("IHDR", bigEndian(width, 4) + bigEndian(height, 4) + [UInt8(depth), UInt8(color), 0, 0, 0])
  }

  /// A PNG with chunks between header and data. The data is not decoded, so any will do.
  static func png(_ width: Int = 3, _ height: Int = 2, color: Int = 2, _ middle: [UInt8] = []) -> [UInt8] {
    pngSignature + header(width, height, color: color) + middle + chunk("IDAT", [1, 2, 3]) + chunk("IEND")
  }

  static func frameControl(_ sequence: Int, _ width: Int, _ height: Int) -> [UInt8] {
    chunk(
      "fcTL", bigEndian(sequence, 4) + bigEndian(width, 4) + bigEndian(height, 4) + [UInt8](repeating: 0, count: 14))
  }

  // MARK: EXIF and TIFF

  struct Tag {
    var number: Int
    var type: Int
    var values: [Int]
  }

  /// A TIFF of directories that follow each other, all values inside the entries.
  static func tiff(_ directories: [[Tag]], isLittleEndian: Bool = true, isBig: Bool = false) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      isLittleEndian ? littleEndian(value, count) : bigEndian(value, count)
    }
    let wordSize = isBig ? 8 : 4
    var bytes: [UInt8] = Array((isLittleEndian ? "II" : "MM").utf8)
    bytes += isBig ? number(43, 2) + number(8, 2) + number(0, 2) : number(42, 2)
    bytes += number(bytes.count + wordSize, wordSize)
    for (index, tags) in directories.enumerated() {
      bytes += number(tags.count, isBig ? 8 : 2)
      for tag in tags {
        let size = [1: 1, 3: 2, 4: 4, 16: 8][tag.type] ?? 1
        var value = tag.values.flatMap { number($0, size) }
        value += [UInt8](repeating: 0, count: max(0, wordSize - value.count))
        bytes += number(tag.number, 2) + number(tag.type, 2) + number(tag.values.count, wordSize) + value
      }
      let isLast = index == directories.count - 1
      bytes += number(isLast ? 0 : bytes.count + wordSize, wordSize)
    }
    return bytes
  }

  static func page(_ width: Int, _ height: Int, orientation: Int? = nil, _ more: [Tag] = []) -> [Tag] {
    var tags = [
      Tag(number: 256, type: 3, values: [width]), Tag(number: 257, type: 3, values: [height]),
      Tag(number: 258, type: 3, values: [8]), Tag(number: 273, type: 4, values: [0]),
      Tag(number: 279, type: 4, values: [4]),
    ]
    if let orientation { tags.append(Tag(number: 274, type: 3, values: [orientation])) }
    return tags + more
  }

  static func exif(_ orientation: Int, isLittleEndian: Bool = true) -> [UInt8] {
    tiff([[Tag(number: 274, type: 3, values: [orientation])]], isLittleEndian: isLittleEndian)
  }

  // MARK: JPEG

  static func segment(_ marker: UInt8, _ data: [UInt8]) -> [UInt8] {
    [0xFF, marker] + bigEndian(data.count + 2, 2) + data
  }

  static func frame(_ width: Int, _ height: Int) -> [UInt8] {
    segment(0xC0, [8] + bigEndian(height, 2) + bigEndian(width, 2) + [1, 1, 0x11, 0])
  }

  static let scanHeader: [UInt8] = segment(0xDA, [1, 1, 0, 0, 63, 0])

  static func jpeg(
    _ width: Int = 3, _ height: Int = 2, before: [UInt8] = [], after: [UInt8] = [], scan: [UInt8] = [0x12, 0xFF, 0]
  ) -> [UInt8] {
    [0xFF, 0xD8] + before + frame(width, height) + after + scanHeader + scan + [0xFF, 0xD9]
  }

  static func exifSegment(_ orientation: Int, isLittleEndian: Bool = true) -> [UInt8] {
    segment(0xE1, Array("Exif\0\0".utf8) + exif(orientation, isLittleEndian: isLittleEndian))
  }

  // MARK: GIF

  static func gif(_ width: Int = 3, _ height: Int = 2, frames: Int = 1, isTransparent: Bool = false) -> [UInt8] {
    var bytes = "GIF89a".utf8 + littleEndian(width, 2) + littleEndian(height, 2) + [0x80, 0, 0, 0, 0, 0, 255, 255, 255]
    for _ in 0..<frames {
      bytes += [0x21, 0xF9, 4, isTransparent ? 1 : 0, 0, 0, 0, 0]
      bytes += [0x2C, 0, 0, 0, 0] + littleEndian(width, 2) + littleEndian(height, 2) + [0, 2, 2, 0x4C, 1, 0]
    }
    return bytes + [0x3B]
  }

  // MARK: WebP

  static func riff(_ chunks: [UInt8]) -> [UInt8] {
    "RIFF".utf8 + littleEndian(chunks.count + 4, 4) + "WEBP".utf8 + chunks
  }

  static func webpChunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    type.utf8 + littleEndian(data.count, 4) + data + (data.count % 2 == 1 ? [0] : [])
  }

  static func lossless(_ width: Int, _ height: Int, hasAlpha: Bool = false) -> [UInt8] {
    webpChunk("VP8L", [0x2F] + littleEndian((width - 1) | (height - 1) << 14 | (hasAlpha ? 1 << 28 : 0), 4) + [0])
  }

  static func canvas(_ flags: UInt8, _ width: Int, _ height: Int) -> [UInt8] {
    webpChunk("VP8X", [flags, 0, 0, 0] + littleEndian(width - 1, 3) + littleEndian(height - 1, 3))
  }

  static func webpFrame(_ width: Int, _ height: Int) -> [UInt8] {
    webpChunk(
      "ANMF",
      [UInt8](repeating: 0, count: 6) + littleEndian(width - 1, 3) + littleEndian(height - 1, 3) + [0, 0, 0, 0]
        + lossless(width, height))
  }

  // MARK: BMP and ICO

  static func dib(_ width: Int, _ height: Int, bits: Int = 24, compression: Int = 0) -> [UInt8] {
    littleEndian(40, 4) + littleEndian(width, 4) + littleEndian(height, 4) + littleEndian(1, 2) + littleEndian(bits, 2)
      + littleEndian(compression, 4) + [UInt8](repeating: 0, count: 20)
  }

  static func bmp(_ header: [UInt8], pixels: Int) -> [UInt8] {
    "BM".utf8 + littleEndian(14 + header.count + pixels, 4) + [0, 0, 0, 0] + littleEndian(14 + header.count, 4)
      + header + [UInt8](repeating: 0, count: pixels)
  }

  static func icon(_ pictures: [(side: Int, data: [UInt8])], kind: UInt8 = 1) -> [UInt8] {
    var directory: [UInt8] = [0, 0, kind, 0] + littleEndian(pictures.count, 2)
    var data: [UInt8] = []
    for picture in pictures {
      let side = UInt8(truncatingIfNeeded: picture.side)
      directory += [side, side, 0, 0, 1, 0, 32, 0] + littleEndian(picture.data.count, 4)
      directory += littleEndian(6 + 16 * pictures.count + data.count, 4)
      data += picture.data
    }
    return directory + data
  }

  // MARK: Boxes

  static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    bigEndian(content.count + 8, 4) + type.utf8 + content
  }

  static func fullBox(_ type: String, version: UInt8 = 0, flags: Int = 0, _ content: [UInt8]) -> [UInt8] {
    box(type, [version] + bigEndian(flags, 3) + content)
  }

  /// A picture of one item with properties; its 4 bytes of data stand in an `idat` box.
  static func heif(
    brand: String = "heic", _ width: Int = 30, _ height: Int = 20, properties: [[UInt8]] = [], extents: Int = 1
  ) -> [UInt8] {
    let all = [fullBox("ispe", bigEndian(width, 4) + bigEndian(height, 4))] + properties
    let associations = bigEndian(1, 4) + bigEndian(1, 2) + [UInt8(all.count)] + (1...all.count).map { UInt8($0) }
    let extent = bigEndian(0, 4) + bigEndian(4, 4)
    let location =
      bigEndian(0x4400, 2) + bigEndian(1, 2) + bigEndian(1, 2) + bigEndian(1, 2) + bigEndian(0, 2)
      + bigEndian(extents, 2) + Array(repeatElement(extent, count: extents).joined())
    let meta =
      fullBox("pitm", bigEndian(1, 2)) + fullBox("iloc", version: 1, location)
      + box("iprp", box("ipco", Array(all.joined())) + fullBox("ipma", associations)) + box("idat", [1, 2, 3, 4])
    return box("ftyp", brand.utf8 + bigEndian(0, 4) + brand.utf8) + fullBox("meta", meta)
  }

  /// JPEG XL of 64 × 64 pixels: both sides by eight, ratio 1:1, all metadata at their defaults.
  static let jpegXL: [UInt8] = [0xFF, 0x0A, 0b0100_1111, 0b0000_0010, 0]

  static func jpegXLContainer(_ boxes: [UInt8]) -> [UInt8] {
    box("JXL ", [0x0D, 0x0A, 0x87, 0x0A]) + box("ftyp", Array("jxl \0\0\0\0jxl ".utf8)) + boxes
  }
}
