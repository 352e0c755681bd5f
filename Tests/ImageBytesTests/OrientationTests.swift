import CurlewImageBytes
import Testing

struct OrientationTests {
  @Test(arguments: ImageOrientation.allCases)
  func `every container of EXIF tells the orientation`(orientation: ImageOrientation) throws {
    let exif = ImageBuilder.exif(orientation.rawValue)
    let files: [[UInt8]] = [
      ImageBuilder.jpeg(before: ImageBuilder.exifSegment(orientation.rawValue)),
      ImageBuilder.jpeg(before: ImageBuilder.exifSegment(orientation.rawValue, isLittleEndian: false)),
      ImageBuilder.jpeg(after: ImageBuilder.exifSegment(orientation.rawValue)),
      ImageBuilder.png(3, 2, ImageBuilder.chunk("eXIf", exif)),
      ImageBuilder.riff(
        ImageBuilder.canvas(8, 3, 2) + ImageBuilder.lossless(3, 2) + ImageBuilder.webpChunk("EXIF", exif)),
      ImageBuilder.riff(
        ImageBuilder.canvas(8, 3, 2) + ImageBuilder.lossless(3, 2)
          + ImageBuilder.webpChunk("EXIF", Array("Exif\0\0".utf8) + exif)),
      ImageBuilder.tiff([ImageBuilder.page(3, 2, orientation: orientation.rawValue)]),
      ImageBuilder.tiff(
        [ImageBuilder.page(3, 2, orientation: orientation.rawValue)], isLittleEndian: false, isBig: true),
    ]
    for file in files {
      let info = try ImageInfo(of: file)
      #expect(info.orientation == orientation)
      #expect((info.width, info.height) == (3, 2))
      #expect(info.displayWidth == (orientation.swapsSides ? 2 : 3))
      #expect(info.displayHeight == (orientation.swapsSides ? 3 : 2))
    }
  }

  @Test func `EXIF that cannot be read is no reason to refuse a picture`() throws {
    let broken: [[UInt8]] = [
      [], [0x49], Array("garbage".utf8), Array(ImageBuilder.exif(6).prefix(12)), ImageBuilder.exif(0),
      ImageBuilder.exif(9), ImageBuilder.exif(65535), Array("II*\0\u{FF}\u{FF}\u{FF}\u{7F}".utf8),
      ImageBuilder.tiff([[ImageBuilder.Tag(number: 274, type: 2, values: [6])]]),
      ImageBuilder.tiff([[ImageBuilder.Tag(number: 274, type: 3, values: [])]]),
    ]
    for exif in broken {
      let segment = ImageBuilder.segment(0xE1, Array("Exif\0\0".utf8) + exif)
      #expect(try ImageInfo(of: ImageBuilder.jpeg(before: segment)).orientation == .up)
      #expect(try ImageInfo(of: ImageBuilder.png(3, 2, ImageBuilder.chunk("eXIf", exif))).orientation == .up)
    }
  }

  @Test func `an orientation that is no number is no reason to refuse a TIFF`() throws {
    for tag in [
      ImageBuilder.Tag(number: 274, type: 2, values: [54, 0]), ImageBuilder.Tag(number: 274, type: 3, values: []),
      ImageBuilder.Tag(number: 274, type: 3, values: [77]),
    ] {
      #expect(try ImageInfo(of: ImageBuilder.tiff([ImageBuilder.page(3, 2, [tag])])).orientation == .up)
    }
  }

  @Test func `the first block of EXIF that can be read counts`() throws {
    let xmp = ImageBuilder.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8))
    let file = ImageBuilder.jpeg(
      before: xmp + ImageBuilder.exifSegment(99) + ImageBuilder.exifSegment(6) + ImageBuilder.exifSegment(3))
    #expect(try ImageInfo(of: file).orientation == .right)
  }

  /// The table of the AVIF specification's reference decoder: `irot` first, then `imir`.
  @Test(
    arguments: [
      (0, nil, 1), (1, nil, 8), (2, nil, 3), (3, nil, 6), (0, 0, 4), (0, 1, 2), (1, 0, 5), (1, 1, 7), (2, 0, 2),
      (2, 1, 4), (3, 0, 7), (3, 1, 5),
    ] as [(UInt8, UInt8?, Int)])
  func `turn and mirror of HEIF become an orientation`(turn: UInt8, mirror: UInt8?, expected: Int) throws {
    var properties = [ImageBuilder.box("irot", [turn])]
    if let mirror { properties.append(ImageBuilder.box("imir", [mirror])) }
    let info = try ImageInfo(of: ImageBuilder.heif(properties: properties))
    #expect(info.orientation.rawValue == expected)
    #expect((info.width, info.height) == (30, 20))
  }

  @Test func `turn and mirror apply in the order they are listed`() throws {
    // Mirrored left to right, then turned by 90° anticlockwise.
    let properties = [ImageBuilder.box("imir", [1]), ImageBuilder.box("irot", [1])]
    #expect(try ImageInfo(of: ImageBuilder.heif(properties: properties)).orientation == .leftMirrored)
  }
}
