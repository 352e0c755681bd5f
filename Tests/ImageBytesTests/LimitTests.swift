import CurlewImageBytes
import Testing

struct LimitTests {
  private static let limits = ImageLimits(maximumPixels: 1_000_000)

  /// A million and one thousand pixels, declared by a few bytes.
  static let bombs: [[UInt8]] = [
    ImageBuilder.png(1001, 1000), ImageBuilder.jpeg(1001, 1000), ImageBuilder.gif(1001, 1000),
    ImageBuilder.riff(ImageBuilder.lossless(1001, 1000)),
    ImageBuilder.riff(ImageBuilder.canvas(0, 1001, 1000) + ImageBuilder.lossless(1, 1)),
    ImageBuilder.bmp(ImageBuilder.dib(1001, 1000), pixels: 8),
    ImageBuilder.bmp(ImageBuilder.dib(1001, -1000), pixels: 8),
    ImageBuilder.tiff([ImageBuilder.page(1001, 1000)]), ImageBuilder.icon([(0, ImageBuilder.png(1001, 1000))]),
    ImageBuilder.icon([(0, ImageBuilder.dib(1001, 2000))]), ImageBuilder.heif(1001, 1000),
    ImageBuilder.heif(
      1001, 1000,
      properties: [
        ImageBuilder.box(
          "clap", [1, 1, 1, 1, 0, 1, 0, 1].flatMap { ImageBuilder.bigEndian($0, 4) })
      ]),
    Array("<svg width='1001' height='1000'/>".utf8), Array("<svg viewBox='0 0 1e300 1e300'/>".utf8),
  ]

  @Test func `more pixels than allowed are refused by every reading`() throws {
    for bomb in Self.bombs {
      for read in [
        { try ImageInfo(of: bomb, limits: Self.limits) }, { try ImageInfo(verifying: bomb, limits: Self.limits) },
        {
          _ = try ImageInfo.probe(bomb, limits: Self.limits)
          return try ImageInfo(of: bomb)
        },
      ] {
        let error = #expect(throws: ImageError.self) { try read() }
        #expect(error?.kind == .tooManyPixels, "\(String(describing: error))")
      }
    }
  }

  @Test func `as many pixels as allowed are not refused`() throws {
    #expect(try ImageInfo(verifying: ImageBuilder.png(1000, 1000), limits: Self.limits).width == 1000)
    #expect(throws: ImageError.self) { try ImageInfo(of: ImageBuilder.png(), limits: ImageLimits(maximumPixels: -1)) }
  }

  @Test func `the largest sides a format can state do not overflow without a limit`() throws {
    let limits = ImageLimits(maximumPixels: .max, maximumParts: .max)
    let side = Int(Int32.max)
    #expect(try ImageInfo(verifying: ImageBuilder.png(side, side), limits: limits).width == side)
    #expect(throws: ImageError.self) {
      try ImageInfo(verifying: ImageBuilder.bmp(ImageBuilder.dib(side, side, bits: 64), pixels: 8), limits: limits)
    }
    #expect(throws: ImageError.self) {
      try ImageInfo(of: ImageBuilder.bmp(ImageBuilder.dib(-side - 1, -side - 1), pixels: 8), limits: limits)
    }
    let heif = ImageBuilder.heif(Int(UInt32.max), Int(UInt32.max))
    let error = #expect(throws: ImageError.self) { try ImageInfo(of: heif, limits: limits) }
    #expect(error?.kind == .tooManyPixels)
  }

  @Test func `a frame larger than allowed is refused`() throws {
    // The screen is small, the second frame is not.
    var gif = ImageBuilder.gif(3, 2).dropLast()
    gif += [0x2C, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 2, 2, 0x4C, 1, 0, 0x3B]
    let error = #expect(throws: ImageError.self) { try ImageInfo(of: Array(gif)) }
    #expect(error?.kind == .tooManyPixels)
    let tile = ImageBuilder.fullBox("ispe", ImageBuilder.bigEndian(70_000, 4) + ImageBuilder.bigEndian(70_000, 4))
    let meta = ImageBuilder.heif(properties: [tile])
    #expect(#expect(throws: ImageError.self) { try ImageInfo(of: meta) }?.kind == .tooManyPixels)
    let pages = ImageBuilder.tiff([ImageBuilder.page(3, 2), ImageBuilder.page(60_000, 60_000)])
    #expect(try ImageInfo(of: pages).frames == 2)
    #expect(#expect(throws: ImageError.self) { try ImageInfo(verifying: pages) }?.kind == .tooManyPixels)
  }

  @Test func `more parts than allowed are refused`() throws {
    let text = ImageBuilder.chunk("tEXt", [65, 0])
    let limits = ImageLimits(maximumParts: 64)
    let png = ImageBuilder.png(3, 2, Array(repeatElement(text, count: 100).joined()))
    let comments = Array(repeatElement(ImageBuilder.segment(0xFE, []), count: 100).joined())
    let files: [[UInt8]] = [
      png, ImageBuilder.jpeg(before: comments), ImageBuilder.gif(frames: 100),
      ImageBuilder.tiff(Array(repeating: ImageBuilder.page(3, 2), count: 100)),
      ImageBuilder.riff(
        ImageBuilder.canvas(2, 3, 2) + Array(repeatElement(ImageBuilder.webpFrame(3, 2), count: 100).joined())),
      ImageBuilder.icon(Array(repeating: (3, ImageBuilder.png()), count: 100)),
      ImageBuilder.heif(properties: Array(repeating: ImageBuilder.box("free", []), count: 100)),
    ]
    for file in files {
      #expect(try ImageInfo(verifying: file).width > 0)
      let error = #expect(throws: ImageError.self) { try ImageInfo(of: file, limits: limits) }
      #expect(error?.kind == .tooManyParts, "\(String(describing: error))")
    }
  }

  @Test func `places of items that cost no byte do not multiply`() throws {
    // Each extent of size 0: 65535 of them in a box of a few bytes, ten times over.
    let item =
      ImageBuilder.bigEndian(1, 2) + ImageBuilder.bigEndian(0, 2) + ImageBuilder.bigEndian(0, 2) + [0xFF, 0xFF]
    let location = ImageBuilder.bigEndian(0, 2) + ImageBuilder.bigEndian(200, 2)
    let meta =
      ImageBuilder.fullBox("pitm", ImageBuilder.bigEndian(1, 2))
      + ImageBuilder.fullBox("iloc", version: 1, location + Array(repeatElement(item, count: 200).joined()))
      + ImageBuilder.box(
        "iprp",
        ImageBuilder.box(
          "ipco", ImageBuilder.fullBox("ispe", ImageBuilder.bigEndian(3, 4) + ImageBuilder.bigEndian(2, 4)))
          + ImageBuilder.fullBox("ipma", ImageBuilder.bigEndian(1, 4) + [0, 1, 1, 1])) + ImageBuilder.box("idat", [])
    let file = ImageBuilder.box("ftyp", Array("heic\0\0\0\0heic".utf8)) + ImageBuilder.fullBox("meta", meta)
    let error = #expect(throws: ImageError.self) {
      try ImageInfo(verifying: file, limits: ImageLimits(maximumParts: 1 << 16))
    }
    #expect(error?.kind == .tooManyParts)
  }

  @Test func `more properties than can be numbered are refused`() throws {
    let boxes = { (count: Int) in Array(repeating: ImageBuilder.box("free", []), count: count) }
    func file(_ count: Int) -> [UInt8] {
      let meta = ImageBuilder.box("iprp", ImageBuilder.box("ipco", Array(boxes(count).joined())))
      return ImageBuilder.box("ftyp", Array("heic\0\0\0\0heic".utf8)) + ImageBuilder.fullBox("meta", meta)
    }
    #expect(#expect(throws: ImageError.self) { try ImageInfo(of: file(32_767)) }?.kind == .malformed)
    #expect(#expect(throws: ImageError.self) { try ImageInfo(of: file(32_768)) }?.kind == .tooManyParts)
  }

  @Test func `pages that run in a circle end`() throws {
    var tiff = ImageBuilder.tiff([ImageBuilder.page(3, 2)])
    // The next page is the first one.
    tiff.replaceSubrange((tiff.count - 4)..., with: ImageBuilder.littleEndian(8, 4))
    #expect(try ImageInfo(of: tiff).frames == 1)
    let error = #expect(throws: ImageError.self) { try ImageInfo(verifying: tiff) }
    #expect(error?.kind == .malformed)
    // The page after the second is the first one.
    var pair = ImageBuilder.tiff([ImageBuilder.page(3, 2), ImageBuilder.page(3, 2)])
    pair.replaceSubrange((pair.count - 4)..., with: ImageBuilder.littleEndian(8, 4))
    #expect(try ImageInfo(of: pair).frames == 2)
    #expect(#expect(throws: ImageError.self) { try ImageInfo(verifying: pair) }?.kind == .malformed)
  }
}
