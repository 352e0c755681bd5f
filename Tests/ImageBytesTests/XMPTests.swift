import CurlewImageBytes
import Testing

/// Orientation in XMP packets, which formats carry beside EXIF.
struct XMPTests {
  private func text(_ packet: String, keyword: String = "XML:com.adobe.xmp", isCompressed: UInt8 = 0) -> [UInt8] {
    ImageBuilder.chunk("iTXt", Array(keyword.utf8) + [0, isCompressed, 0, 0, 0] + Array(packet.utf8))
  }

  private func attribute(_ value: String) -> String {
    "<x:xmpmeta><rdf:Description tiff:Make=\"x\" tiff:Orientation=\"\(value)\"/></x:xmpmeta>"
  }

  @Test(arguments: ImageOrientation.allCases)
  func `an attribute or an element states the orientation`(orientation: ImageOrientation) throws {
    let value = "\(orientation.rawValue)"
    for packet in [
      attribute(value), "<tiff:Orientation>\(value)</tiff:Orientation>", "<a tiff:Orientation = '\(value)'/>",
    ] {
      let jpeg = ImageBuilder.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0\(packet)".utf8))
      let webp =
        ImageBuilder.canvas(4, 3, 2) + ImageBuilder.lossless(3, 2) + ImageBuilder.webpChunk("XMP ", Array(packet.utf8))
      for file in [
        ImageBuilder.png(3, 2, text(packet)), ImageBuilder.jpeg(before: jpeg), ImageBuilder.riff(webp),
      ] {
        #expect(try ImageInfo(of: file).orientation == orientation)
      }
    }
  }

  @Test func `EXIF decides where there is both`() throws {
    let exif = ImageBuilder.chunk("eXIf", ImageBuilder.exif(6))
    #expect(try ImageInfo(of: ImageBuilder.png(3, 2, exif + text(attribute("3")))).orientation == .right)
    #expect(try ImageInfo(of: ImageBuilder.png(3, 2, text(attribute("3")) + exif)).orientation == .right)
    let packet = ImageBuilder.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0\(attribute("3"))".utf8))
    #expect(try ImageInfo(of: ImageBuilder.jpeg(before: packet + ImageBuilder.exifSegment(6))).orientation == .right)
  }

  @Test func `a packet that states none is no reason to refuse a picture`() throws {
    for packet in [
      "", attribute("0"), attribute("9"), attribute("12"), attribute("x"), "tiff:Orientation", "tiff:Orient",
    ] {
      #expect(try ImageInfo(of: ImageBuilder.png(3, 2, text(packet))).orientation == .up, "\(packet)")
    }
    #expect(try ImageInfo(of: ImageBuilder.png(3, 2, text(attribute("6"), keyword: "Comment"))).orientation == .up)
    #expect(try ImageInfo(of: ImageBuilder.png(3, 2, text(attribute("6"), isCompressed: 1))).orientation == .up)
    #expect(try ImageInfo(of: ImageBuilder.png(3, 2, ImageBuilder.chunk("iTXt", []))).orientation == .up)
  }
}

/// Alpha planes of composed pictures.
struct AlphaTests {
  /// A grid (item 1) of two tiles (2, 3), with an auxiliary item (4) for the given ones.
  private func grid(alphaOf targets: [Int], type: String = "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha") -> [UInt8] {
    func reference(_ type: String, _ from: Int, _ to: [Int]) -> [UInt8] {
      ImageBuilder.box(
        type,
        ImageBuilder.bigEndian(from, 2) + ImageBuilder.bigEndian(to.count, 2)
          + to.flatMap { ImageBuilder.bigEndian($0, 2) })
    }
    let size = ImageBuilder.fullBox("ispe", ImageBuilder.bigEndian(30, 4) + ImageBuilder.bigEndian(20, 4))
    let auxiliary = ImageBuilder.fullBox("auxC", Array(type.utf8) + [0])
    let associations =
      ImageBuilder.bigEndian(2, 4) + ImageBuilder.bigEndian(1, 2) + [1, 1] + ImageBuilder.bigEndian(4, 2) + [1, 2]
    let references = reference("dimg", 1, [2, 3]) + (targets.isEmpty ? [] : reference("auxl", 4, targets))
    let meta =
      ImageBuilder.fullBox("pitm", ImageBuilder.bigEndian(1, 2)) + ImageBuilder.fullBox("iref", references)
      + ImageBuilder.box(
        "iprp", ImageBuilder.box("ipco", size + auxiliary) + ImageBuilder.fullBox("ipma", associations))
    return ImageBuilder.box("ftyp", Array("avif\0\0\0\0avif".utf8)) + ImageBuilder.fullBox("meta", meta)
  }

  @Test func `the alpha plane of a grid may belong to the grid or to its tiles`() throws {
    #expect(try ImageInfo(of: grid(alphaOf: [1])).hasAlpha)
    #expect(try ImageInfo(of: grid(alphaOf: [2, 3])).hasAlpha)
    #expect(try ImageInfo(of: grid(alphaOf: [3])).hasAlpha)
    #expect(try !ImageInfo(of: grid(alphaOf: [])).hasAlpha)
    #expect(try !ImageInfo(of: grid(alphaOf: [7])).hasAlpha)
    #expect(try !ImageInfo(of: grid(alphaOf: [2, 3], type: "urn:mpeg:hevc:2015:auxid:2")).hasAlpha)
  }
}
