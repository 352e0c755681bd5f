import CurlewImageBytes
import Testing

/// What `ImageInfo(verifying:)` refuses although the header is sound.
struct VerifyingTests {
  private func refusal(_ bytes: [UInt8]) -> ImageError.Kind? {
    #expect((try? ImageInfo(of: bytes)) != nil)
    return #expect(throws: ImageError.self) { try ImageInfo(verifying: bytes) }?.kind
  }

  private func replacing(_ bytes: [UInt8], _ place: Int, with byte: UInt8) -> [UInt8] {
    var bytes = bytes
    bytes[place] = byte
    return bytes
  }

  // MARK: PNG

  @Test func `one flipped bit anywhere in a PNG is found`() throws {
    let png = ImageBuilder.png(3, 2, ImageBuilder.chunk("tEXt", Array("Title\0Curlew flies".utf8)))
    #expect(try ImageInfo(verifying: png).format == .png)
    for place in png.indices {
      for bit in 0..<8 {
        #expect(throws: ImageError.self) {
          try ImageInfo(verifying: replacing(png, place, with: png[place] ^ 1 << bit))
        }
      }
    }
  }

  @Test func `the place of the wrong checksum is told`() {
    let png = ImageBuilder.png()
    let error = #expect(throws: ImageError.self) { try ImageInfo(verifying: replacing(png, 32, with: png[32] ^ 1)) }
    #expect(error?.kind == .checksumMismatch)
    #expect(error?.offset == 29)
  }

  @Test func `chunks of a PNG stand in their order`() {
    let data = ImageBuilder.chunk("IDAT", [1, 2, 3])
    let end = ImageBuilder.chunk("IEND")
    let start = ImageBuilder.pngSignature + ImageBuilder.header(3, 2)
    let palette = ImageBuilder.chunk("PLTE", [0, 0, 0])
    let files: [[UInt8]] = [
      start + end, start + data + ImageBuilder.chunk("tEXt", [65, 0]) + data + end,
      start + ImageBuilder.header(3, 2) + data + end, start + data + palette + end,
      start + palette + palette + data + end,
      start + ImageBuilder.chunk("PLTE", [0, 0]) + data + end, start + ImageBuilder.chunk("ABCD") + data + end,
      start + ImageBuilder.chunk("te1t") + data + end, start + data + ImageBuilder.chunk("IEND", [0]),
      ImageBuilder.png(3, 2, color: 3),
    ]
    for file in files { #expect(refusal(file) == .malformed) }
  }

  @Test func `frames of an APNG are as declared`() throws {
    func animated(_ declared: Int, _ controls: [UInt8], after: [UInt8] = []) -> [UInt8] {
      ImageBuilder.pngSignature + ImageBuilder.header(3, 2)
        + ImageBuilder.chunk("acTL", ImageBuilder.bigEndian(declared, 4) + [0, 0, 0, 0]) + controls
        + ImageBuilder.chunk("IDAT", [1]) + after + ImageBuilder.chunk("IEND")
    }
    let first = ImageBuilder.frameControl(0, 3, 2)
    let second = ImageBuilder.frameControl(1, 1, 1) + ImageBuilder.chunk("fdAT", ImageBuilder.bigEndian(2, 4) + [1])
    let info = try ImageInfo(verifying: animated(2, first, after: second))
    #expect((info.format, info.frames, info.mediaType) == (.apng, 2, "image/apng"))
    for file in [
      animated(3, first, after: second), animated(1, []), animated(1, ImageBuilder.frameControl(1, 3, 2)),
      animated(1, ImageBuilder.frameControl(0, 4, 2)), animated(1, ImageBuilder.frameControl(0, 0, 2)),
      animated(2, first, after: first),
    ] { #expect(refusal(file) == .malformed) }
    // Without frames the chunk animates nothing.
    #expect(try ImageInfo(of: animated(0, [])).format == .png)
  }

  // MARK: JPEG

  @Test func `segments of a JPEG fit each other`() {
    let jpeg = ImageBuilder.jpeg()
    #expect((try? ImageInfo(verifying: jpeg)) != nil)
    for file in [
      ImageBuilder.jpeg(after: ImageBuilder.frame(3, 2)), ImageBuilder.jpeg(scan: [0xFF, 0xD8]),
      ImageBuilder.jpeg(after: [0xFF, 0xD0]),
      // A scan of two components of a picture of one.
      [0xFF, 0xD8] + ImageBuilder.frame(3, 2) + ImageBuilder.segment(0xDA, [2, 1, 0, 2, 0, 0, 63, 0]) + [0xFF, 0xD9],
    ] { #expect(refusal(file) == .malformed) }
    #expect(refusal(Array(jpeg.dropLast(2))) == .truncated)
    #expect(refusal(Array(jpeg.dropLast())) == .truncated)
  }

  @Test func `fill bytes, restarts and bytes behind the trailer belong to sound JPEGs`() throws {
    let file = ImageBuilder.jpeg(before: [0xFF, 0xFF], scan: [1, 0xFF, 0xD0, 2, 0xFF, 0xFF, 0xD1, 3, 0xFF, 0, 0xFF])
    #expect(try ImageInfo(verifying: file + [1, 2, 3]).width == 3)
  }

  @Test func `a JPEG without scan, without header, or with its height behind the scan is no picture`() {
    let start: [UInt8] = [0xFF, 0xD8]
    let expected: [([UInt8], ImageError.Kind)] = [
      (start + ImageBuilder.frame(3, 2) + [0xFF, 0xD9], .malformed), (start + ImageBuilder.scanHeader, .malformed),
      (ImageBuilder.jpeg(3, 0), .unsupported), (ImageBuilder.jpeg(0, 2), .malformed),
      (start + [0xFF, 0xE0, 0, 1], .malformed), (start + ImageBuilder.frame(3, 2), .truncated),
      ([0xFF, 0xD8, 0xFF] + [UInt8](repeating: 1, count: 5000), .malformed),
    ]
    for (file, kind) in expected {
      #expect(#expect(throws: ImageError.self) { try ImageInfo(of: file) }?.kind == kind)
    }
  }

  // MARK: The others

  @Test func `blocks of a GIF are known and have codes of a size`() {
    let gif = ImageBuilder.gif()
    #expect(refusal(Array(gif.dropLast()) + [0x77, 0x3B]) == .malformed)
    // The size of codes stands in front of the last six bytes: length, data, terminator, trailer.
    #expect(refusal(replacing(gif, gif.count - 6, with: 12)) == .malformed)
    #expect(#expect(throws: ImageError.self) { try ImageInfo(of: ImageBuilder.gif(frames: 0)) }?.kind == .malformed)
    #expect(#expect(throws: ImageError.self) { try ImageInfo(of: Array(gif.dropLast())) }?.kind == .truncated)
  }

  @Test func `pictures of a WebP are as large as their canvas`() {
    #expect(refusal(ImageBuilder.riff(ImageBuilder.canvas(0, 3, 2) + ImageBuilder.lossless(3, 3))) == .malformed)
    #expect(refusal(ImageBuilder.riff(ImageBuilder.canvas(2, 3, 2) + ImageBuilder.webpFrame(4, 2))) == .malformed)
    #expect(refusal(ImageBuilder.riff(ImageBuilder.canvas(0, 3, 2))) == .malformed)
    #expect(
      refusal(
        ImageBuilder.riff(
          ImageBuilder.canvas(2, 3, 2) + ImageBuilder.webpChunk("ANMF", [UInt8](repeating: 0, count: 16))))
        == .malformed)
    // A first partition longer than the chunk.
    let key: [UInt8] = [0xF0, 0xFF, 0xFF, 0x9D, 0x01, 0x2A, 3, 0, 2, 0]
    #expect(refusal(ImageBuilder.riff(ImageBuilder.webpChunk("VP8 ", key))) == .malformed)
  }

  @Test func `pixels of a bitmap are where they must be`() {
    let bmp = ImageBuilder.bmp(ImageBuilder.dib(3, 2), pixels: 24)
    #expect(refusal(Array(bmp.dropLast())) == .truncated)
    #expect(refusal(replacing(bmp, 10, with: 20)) == .malformed)
    // Version 5: 40 bytes as before, and 84 more with the kind of the profile, its place and its size.
    var header =
      ImageBuilder.littleEndian(124, 4) + ImageBuilder.dib(3, 2).dropFirst(4) + [UInt8](repeating: 0, count: 84)
    header.replaceSubrange(56..<60, with: Array("DEBM".utf8))
    header.replaceSubrange(112..<120, with: ImageBuilder.littleEndian(148, 4) + ImageBuilder.littleEndian(5, 4))
    let profiled = ImageBuilder.bmp(header, pixels: 24) + [1, 2, 3, 4, 5]
    #expect((try? ImageInfo(verifying: profiled)) != nil)
    #expect(refusal(Array(profiled.dropLast())) == .truncated)
    let icon = ImageBuilder.icon([(3, ImageBuilder.dib(3, 4) + [UInt8](repeating: 0, count: 23))])
    #expect(refusal(icon) == .malformed)
  }

  @Test func `strips and values of a TIFF are in the file`() {
    func page(_ offset: Int, _ count: Int) -> [ImageBuilder.Tag] {
      ImageBuilder.page(3, 2).map { tag in
        var tag = tag
        if tag.number == 273 { tag.values = [offset] }
        if tag.number == 279 { tag.values = [count] }
        return tag
      }
    }
    #expect((try? ImageInfo(verifying: ImageBuilder.tiff([page(8, 60)]))) != nil)
    #expect(refusal(ImageBuilder.tiff([page(8, 6000)])) == .truncated)
    #expect(refusal(ImageBuilder.tiff([ImageBuilder.page(3, 2).filter { $0.number != 273 }])) == .malformed)
    var long = ImageBuilder.page(3, 2)
    long.append(ImageBuilder.Tag(number: 700, type: 1, values: [255, 255, 255, 255]))
    var file = ImageBuilder.tiff([long])
    // The count of the last entry: 100 bytes at offset 0xFFFFFFFF.
    file[file.count - 12] = 100
    #expect(refusal(file) == .truncated)
  }

  @Test func `bytes of items are in the file`() {
    var heif = ImageBuilder.heif()
    #expect((try? ImageInfo(verifying: heif)) != nil)
    // The data box and the boxes around it lose their last byte, the item does not.
    guard let data = heif.indices.dropLast(3).last(where: { Array(heif[$0..<($0 + 4)]) == Array("idat".utf8) }) else {
      Issue.record("There is no idat box.")
      return
    }
    heif[data - 1] -= 1
    heif.removeLast()
    heif[20 + 3] -= 1
    #expect(refusal(heif) == .malformed)
  }
}
