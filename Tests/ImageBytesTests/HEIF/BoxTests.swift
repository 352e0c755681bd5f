import CurlewImageBytes
import Testing

/// Pictures in boxes: HEIF and its kin, and the container of JPEG XL.
struct BoxTests {
  private func sequence(_ samples: Int, handler: String = "pict", chunk: Int = 0) -> [UInt8] {
    let entry = ImageBuilder.box(
      "av01",
      [UInt8](repeating: 0, count: 24) + ImageBuilder.bigEndian(30, 2) + ImageBuilder.bigEndian(20, 2)
        + [UInt8](repeating: 0, count: 50) + ImageBuilder.box("av1C", [0x81, 0, 0x40, 0]))
    let table =
      ImageBuilder.fullBox("stsd", ImageBuilder.bigEndian(1, 4) + entry)
      + ImageBuilder.fullBox("stsz", ImageBuilder.bigEndian(0, 4) + ImageBuilder.bigEndian(samples, 4))
      + ImageBuilder.fullBox("stco", ImageBuilder.bigEndian(1, 4) + ImageBuilder.bigEndian(chunk, 4))
    let media =
      ImageBuilder.fullBox("hdlr", [0, 0, 0, 0] + handler.utf8 + [UInt8](repeating: 0, count: 13))
      + ImageBuilder.box("minf", ImageBuilder.box("stbl", table))
    return ImageBuilder.box("trak", ImageBuilder.box("mdia", media))
  }

  private let brand = ImageBuilder.box("ftyp", Array("avis\0\0\0\0avismsf1".utf8))

  @Test func `a sequence tells its size and its frames`() throws {
    let moov = ImageBuilder.box("moov", sequence(9, handler: "soun") + sequence(5))
    let info = try ImageInfo(of: brand + moov)
    #expect((info.format, info.width, info.height, info.frames, info.bitDepth) == (.avif, 30, 20, 5, 10))
    let heif = try ImageInfo(of: ImageBuilder.box("ftyp", Array("msf1\0\0\0\0msf1".utf8)) + moov)
    #expect((heif.format, heif.mediaType) == (.heif, "image/heif-sequence"))
    let heic = try ImageInfo(of: ImageBuilder.box("ftyp", Array("hevc\0\0\0\0msf1".utf8)) + moov)
    #expect((heic.format, heic.mediaType) == (.heic, "image/heic-sequence"))
  }

  @Test func `pictures of a sequence start in the file`() throws {
    let data = ImageBuilder.box("mdat", [1, 2, 3, 4])
    let start = brand.count + ImageBuilder.box("moov", sequence(5)).count + 8
    let file = brand + ImageBuilder.box("moov", sequence(5, chunk: start))
    #expect(try ImageInfo(verifying: file + data).frames == 5)
    #expect(#expect(throws: ImageError.self) { try ImageInfo(verifying: file) }?.kind == .truncated)
  }

  @Test func `a sequence without its track is cut`() {
    let still = Array(ImageBuilder.heif(brand: "avis"))
    #expect(#expect(throws: ImageError.self) { try ImageInfo(of: still) }?.kind == .truncated)
  }

  /// Found by the fuzzer: a box of size 0 ends where the file ends, and nothing can be added to that.
  @Test func `a last box without a size does not trap`() {
    let open: [UInt8] = [0, 0, 0, 0] + Array("free".utf8)
    #expect(throws: ImageError.self) { try ImageInfo(of: ImageBuilder.heif(brand: "avis") + open) }
    #expect(throws: ImageError.self) { try ImageInfo(of: brand + open) }
    let part: [UInt8] = [0, 0, 0, 0] + Array("jxlp".utf8) + [0, 0, 0, 0] + ImageBuilder.jpegXL
    #expect(throws: ImageError.self) { try ImageInfo(verifying: ImageBuilder.jpegXLContainer(part)) }
  }

  @Test func `boxes of the largest sizes do not trap`() {
    for size in [UInt64.max, UInt64(Int.max), UInt64(Int.max) - 8, 15, 16] {
      let large =
        [0, 0, 0, 1] + Array("free".utf8)
        + (0..<8).reversed().map { UInt8(truncatingIfNeeded: size >> (8 * UInt64($0))) }
      #expect(throws: ImageError.self) { try ImageInfo(of: brand + large) }
      #expect(throws: ImageError.self) { try ImageInfo(of: brand + large + sequence(2)) }
      #expect(throws: ImageError.self) { try ImageInfo(of: ImageBuilder.jpegXLContainer(large)) }
    }
  }

  @Test func `the crop of a picture is applied before it is turned`() throws {
    func clap(_ values: [Int]) -> [UInt8] {
      ImageBuilder.box("clap", (values + [0, 1, 0, 1]).flatMap { ImageBuilder.bigEndian($0, 4) })
    }
    let cropped = try ImageInfo(of: ImageBuilder.heif(30, 20, properties: [clap([25, 1, 40, 4])]))
    #expect((cropped.width, cropped.height) == (25, 10))
    let turned = try ImageInfo(
      of: ImageBuilder.heif(30, 20, properties: [ImageBuilder.box("irot", [1]), clap([10, 1, 25, 1])]))
    #expect((turned.width, turned.height, turned.orientation) == (25, 10, .left))
    // Without a denominator, empty, or larger than the picture: no crop.
    for broken in [[25, 0, 10, 1], [0, 1, 10, 1], [31, 1, 20, 1], [1, 2, 10, 1]] {
      #expect(try ImageInfo(of: ImageBuilder.heif(30, 20, properties: [clap(broken)])).width == 30)
    }
  }

  @Test func `bits of a sample come from the properties`() throws {
    let pixi = ImageBuilder.fullBox("pixi", [3, 8, 10, 8])
    #expect(try ImageInfo(of: ImageBuilder.heif(properties: [pixi])).bitDepth == 10)
    for (flags, depth) in [(0x00, 8), (0x40, 10), (0x60, 12)] as [(UInt8, Int)] {
      let av1 = ImageBuilder.box("av1C", [0x81, 0, flags, 0])
      #expect(try ImageInfo(of: ImageBuilder.heif(brand: "avif", properties: [av1])).bitDepth == depth)
    }
    let hevc = ImageBuilder.box("hvcC", [UInt8](repeating: 0, count: 17) + [0xFA, 0xF8])
    #expect(try ImageInfo(of: ImageBuilder.heif(properties: [hevc])).bitDepth == 10)
  }

  @Test func `a picture without a size or without a name is malformed`() {
    var file = ImageBuilder.heif()
    for index in file.indices.dropLast(3) where Array(file[index..<(index + 4)]) == Array("ispe".utf8) {
      file[index] = 0x78
    }
    #expect(#expect(throws: ImageError.self) { try ImageInfo(of: file) }?.kind == .malformed)
    let only = ImageBuilder.box("ftyp", Array("heic\0\0\0\0heic".utf8))
    #expect(#expect(throws: ImageError.self) { try ImageInfo(of: only) }?.kind == .malformed)
    #expect(
      #expect(throws: ImageError.self) { try ImageInfo(of: only + ImageBuilder.fullBox("meta", [])) }?.kind
        == .malformed)
  }

  @Test func `the brands decide between the formats`() {
    let expected: [(String, ImageFormat?)] = [
      ("avif\0\0\0\0mif1", .avif), ("mif1\0\0\0\0mif1avif", .avif), ("mif1\0\0\0\0mif1heic", .heic),
      ("mif1\0\0\0\0miaf", .heif), ("heix\0\0\0\0mif1", .heic), ("mif3avif", .avif), ("mif3heic", .heic),
      ("isom\0\0\0\0mp41", nil), ("crx \0\0\0\u{1}crx isom", nil),
    ]
    for (brands, format) in expected {
      #expect(ImageFormat(recognizing: ImageBuilder.box("ftyp", Array(brands.utf8))) == format, "\(brands)")
    }
  }

  // MARK: JPEG XL

  @Test func `a codestream is found bare, in one box and in several`() throws {
    let signature = ImageBuilder.jpegXLContainer([])
    #expect(signature.count == 32)
    let last = [0x80, 0, 0, 1] as [UInt8]
    for file in [
      ImageBuilder.jpegXL, ImageBuilder.jpegXLContainer(ImageBuilder.box("jxlc", ImageBuilder.jpegXL)),
      ImageBuilder.jpegXLContainer(
        ImageBuilder.box("jxlp", [0, 0, 0, 0] + ImageBuilder.jpegXL) + ImageBuilder.box("Exif", [0, 0, 0, 0])
          + ImageBuilder.box("jxlp", last)),
    ] {
      let info = try ImageInfo(verifying: file)
      #expect((info.format, info.width, info.height, info.frames) == (.jxl, 64, 64, 1))
    }
  }

  @Test func `parts of a codestream are complete and in sequence`() {
    let first = ImageBuilder.box("jxlp", [0, 0, 0, 0] + ImageBuilder.jpegXL)
    let last = ImageBuilder.box("jxlp", [0x80, 0, 0, 2])
    let whole = ImageBuilder.box("jxlc", ImageBuilder.jpegXL)
    for boxes in [first, first + last, whole + whole, first + whole, last, []] {
      #expect(throws: ImageError.self) { try ImageInfo(verifying: ImageBuilder.jpegXLContainer(boxes)) }
    }
  }

  /// The header bit by bit, lowest first, as the standard writes it.
  private func codestream(_ fields: [(value: Int, bits: Int)]) -> [UInt8] {
    var bits = fields.flatMap { field in (0..<field.bits).map { field.value >> $0 & 1 } }
    bits += [Int](repeating: 0, count: 7)
    return [0xFF, 0x0A]
      + (0..<(bits.count / 8)).map { byte in
        (0..<8).reduce(UInt8(0)) { $0 | UInt8(bits[8 * byte + $1]) << UInt8($1) }
      }
  }

  @Test func `orientation, depth and alpha of JPEG XL are read from its header`() throws {
    // 1000 × 700: no division by 8, sides of 13 bits, ratio 0; extra fields, orientation 6, no preview,
    // animation of 10 ticks a second without loops; 10 bits; one extra channel that is alpha by default.
    let bytes = codestream([
      (0, 1), (1, 2), (699, 13), (0, 3), (1, 2), (999, 13), (0, 1), (1, 1), (5, 3), (0, 1), (0, 1), (1, 1),
      (2, 2), (9, 10), (0, 2), (0, 2), (0, 1), (0, 1), (1, 2), (0, 1), (1, 2), (1, 1), (0, 8),
    ])
    let info = try ImageInfo(of: bytes)
    #expect((info.width, info.height, info.orientation) == (1000, 700, .right))
    #expect((info.bitDepth, info.hasAlpha, info.frames) == (10, true, nil))
    #expect((info.displayWidth, info.displayHeight) == (700, 1000))
  }
}
