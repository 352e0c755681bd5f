import CurlewImageBytes
import Testing

struct ProbeTests {
  /// Hands over what is asked for, and counts how much that is.
  private func bytesNeeded(_ file: [UInt8]) throws -> Int {
    var count = 0
    while true {
      switch try ImageInfo.probe(Array(file.prefix(count))) {
      case .info: return count
      case .needsMoreBytes(let needed):
        try #require(needed > count && count < file.count)
        count = min(needed, file.count)
      }
    }
  }

  @Test func `the header of a JPEG of 5 MB takes as many bytes as that of one of 5 kB`() throws {
    let before = ImageBuilder.exifSegment(6)
    let small = ImageBuilder.jpeg(40, 30, before: before, scan: [UInt8](repeating: 0x55, count: 5_000))
    let large = ImageBuilder.jpeg(4000, 3000, before: before, scan: [UInt8](repeating: 0x55, count: 5_000_000))
    #expect(try bytesNeeded(large) == bytesNeeded(small))
    #expect(try bytesNeeded(large) < 100)
    #expect(try ImageInfo(of: large).orientation == .right)
  }

  @Test func `reading the header of a whole file does not touch its data`() throws {
    // The scan is full of markers that would be errors, or end it, if it were read.
    let scan = Array(repeatElement([0xFF, 0xC0, 0x00, 0x01] as [UInt8], count: 1000).joined())
    let info = try ImageInfo(of: ImageBuilder.jpeg(scan: scan))
    #expect((info.width, info.frames) == (3, 1))
    #expect(throws: ImageError.self) { try ImageInfo(verifying: ImageBuilder.jpeg(scan: scan)) }
  }

  @Test func `every format can be read piece by piece`() throws {
    for (format, file) in FormatTests.samples where format != .svg {
      #expect(try bytesNeeded(file) <= file.count, "\(format)")
    }
  }

  @Test func `the calls do not multiply with the parts of a header`() throws {
    let comments = Array(repeatElement(ImageBuilder.segment(0xFE, []), count: 20_000).joined())
    let file = ImageBuilder.jpeg(before: comments)
    var count = 0
    var calls = 0
    while case .needsMoreBytes(let needed) = try ImageInfo.probe(Array(file.prefix(count))) {
      count = needed
      calls += 1
    }
    #expect(calls < 120)
  }

  @Test func `frames are counted only in a whole file`() throws {
    let gif = ImageBuilder.gif(frames: 3)
    guard case .info(let info) = try ImageInfo.probe(gif) else {
      Issue.record("The header is complete.")
      return
    }
    #expect(info.frames == nil)
    #expect(try ImageInfo(of: gif).frames == 3)
    let webp = ImageBuilder.riff(
      ImageBuilder.canvas(2, 3, 2) + ImageBuilder.webpFrame(3, 2) + ImageBuilder.webpFrame(3, 2))
    #expect(try ImageInfo(of: webp).frames == 2)
    #expect(try ImageInfo(of: ImageBuilder.tiff([ImageBuilder.page(3, 2), ImageBuilder.page(4, 4)])).frames == 2)
  }

  @Test func `what can be no picture is refused before the file ends`() {
    #expect(throws: ImageError.self) { try ImageInfo.probe(Array("hello".utf8)) }
    #expect(throws: ImageError.self) { try ImageInfo.probe(Array("<html><body>".utf8)) }
  }

  @Test func `a text that stays silent about what it is is given up`() throws {
    let comment = "<!--" + String(repeating: "x", count: 300_000)
    #expect(try ImageInfo.probe(Array(comment.utf8)) == .needsMoreBytes(atLeast: 300_004 + 300_004 / 8))
    let error = #expect(throws: ImageError.self) { try ImageInfo.probe(Array((comment + "--><svg/>").utf8)) }
    #expect(error?.kind == .unrecognized)
  }
}
