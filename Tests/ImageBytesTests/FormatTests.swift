import CurlewImageBytes
import Testing

struct FormatTests {
  static let samples: [(ImageFormat, [UInt8])] = [
    (.png, ImageBuilder.png()),
    (
      .apng,
      ImageBuilder.png(3, 2, ImageBuilder.chunk("acTL", [0, 0, 0, 1, 0, 0, 0, 0]) + ImageBuilder.frameControl(0, 3, 2))
    ),
    (.jpeg, ImageBuilder.jpeg()), (.gif, ImageBuilder.gif()),
    (.webp, ImageBuilder.riff(ImageBuilder.lossless(3, 2))),
    (.bmp, ImageBuilder.bmp(ImageBuilder.dib(3, 2), pixels: 24)),
    (.tiff, ImageBuilder.tiff([ImageBuilder.page(3, 2)])),
    (.ico, ImageBuilder.icon([(3, ImageBuilder.png(3, 2))])),
    (.cur, ImageBuilder.icon([(3, ImageBuilder.png(3, 2))], kind: 2)),
    (.avif, ImageBuilder.heif(brand: "avif", 3, 2)), (.heic, ImageBuilder.heif(brand: "heic", 3, 2)),
    (.heif, ImageBuilder.heif(brand: "mif1", 3, 2)),
    (.svg, Array(#"<svg xmlns="http://www.w3.org/2000/svg" width="3" height="2"><g/></svg>"#.utf8)),
  ]

  @Test func `every format is recognized and measured`() throws {
    for (format, bytes) in Self.samples {
      let info = try ImageInfo(verifying: bytes)
      #expect(info.format == format)
      #expect(info.mediaType == format.mediaType)
      #expect((info.width, info.height, info.bytes) == (3, 2, bytes.count), "\(format)")
      #expect(try ImageInfo(of: bytes) == info)
    }
    #expect(Set(Self.samples.map(\.0)).union([.jxl]) == Set(ImageFormat.allCases))
  }

  @Test func `a cut of any format gives an error or the same answer, and is not sound`() throws {
    for (format, bytes) in Self.samples {
      let whole = try ImageInfo(of: bytes)
      for count in 0..<bytes.count {
        let cut = Array(bytes.prefix(count))
        if var info = try? ImageInfo(of: cut) {
          info.bytes = bytes.count
          #expect(info == whole, "\(format) cut at \(count)")
        }
        // The pixels of the TIFF lie in its first bytes, so its directory is its end.
        #expect(throws: ImageError.self, "\(format) cut at \(count)") { try ImageInfo(verifying: cut) }
      }
    }
  }

  @Test func `the first bytes are enough to recognize a format`() {
    for (format, bytes) in Self.samples where format != .apng {
      #expect(ImageFormat(recognizing: Array(bytes.prefix(64))) == (format == .svg ? .svg : format))
    }
    #expect(ImageFormat(recognizing: Array("%PDF-1.7".utf8)) == nil)
    #expect(ImageFormat(recognizing: [] as [UInt8]) == nil)
  }

  @Test func `text, archives and films are no pictures`() {
    let others: [[UInt8]] = [
      Array("BMW builds cars, and this is text about them.".utf8), Array("<!DOCTYPE html><html></html>".utf8),
      Array("<?xml version='1.0'?><feed/>".utf8), Array("{\"svg\":1}".utf8), Array("PK\u{3}\u{4}".utf8), [],
      ImageBuilder.box("ftyp", Array("isom\0\0\u{2}\0isomiso2avc1mp41".utf8)),
      [0, 1, 0, 0, 0, 12, 0, 128, 0, 3, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      Array("RIFF\u{24}\0\0\0WAVEfmt ".utf8), Array("GIF90a".utf8), Array("IIx".utf8),
    ]
    for bytes in others {
      let error = #expect(throws: ImageError.self) { try ImageInfo(of: bytes) }
      #expect(error?.kind == .unrecognized, "\(String(decoding: bytes, as: UTF8.self))")
    }
  }

  @Test func `media types stand for formats, in any case and with parameters`() {
    for format in ImageFormat.allCases {
      for type in format.mediaTypes { #expect(ImageFormat(mediaType: type.uppercased() + "; q=1") == format) }
      #expect(format.mediaTypes.first == format.mediaType)
    }
    #expect(ImageFormat(mediaType: "text/html") == nil)
    #expect(ImageFormat(mediaType: "") == nil)
  }

  @Test func `every media type of the predecessors is acceptable`() {
    let known = [
      "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp", "image/x-bmp",
      "image/x-xbitmap", "image/x-win-bitmap", "image/heic", "image/heif", "image/webp", "image/svg+xml",
      "image/x-ms-bmp", "application/octet-stream",
    ]
    #expect(ImageFormat.acceptableMediaTypes.isSuperset(of: known))
  }

  @Test func `an error says what, where and of which format`() {
    let error = #expect(throws: ImageError.self) { try ImageInfo(of: Array(ImageBuilder.png().prefix(20))) }
    #expect(error?.kind == .truncated)
    #expect(error?.format == .png)
    #expect(error?.neededBytes == 24)
    #expect(error?.description == "The file ends before the picture is complete. (png, byte 20)")
  }
}
