/// JPEG XL, bare or in its container (ISO/IEC 18181-1, 18181-2).
enum JPEGXL: ImageStructure {
  static let containerSignature: [UInt8] = [
    0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A,
  ]
  private static let codestreamSignature: [UInt8] = [0xFF, 0x0A]

  static func info(
    _ file: ByteReader, _ format: ImageFormat, isCounting: Bool, _ limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    var parts = PartCounter(limits)
    var codestream = try codestream(file, &parts)
    guard try codestream.matches(codestreamSignature, at: codestream.position) else {
      throw ImageError(.malformed, at: codestream.position, "The codestream does not start with FF 0A.")
    }
    try codestream.skip(2)
    let header = try CodestreamHeader(codestream)
    return ImageInfo(
      format: .jxl, width: header.width, height: header.height, orientation: header.orientation,
      frames: header.isAnimated ? nil : 1, hasAlpha: header.hasAlpha, bitDepth: header.bitDepth)
  }

  /// Returns the codestream; its first part if it is split into several boxes.
  private static func codestream(_ file: ByteReader, _ parts: inout PartCounter) throws(ImageError) -> ByteReader {
    guard try isContainer(file) else { return file }
    var reader = file
    while try reader.hasMore() {
      var box = try Box(&reader, &parts)
      if box.type == .jxlc { return box.content }
      guard box.type == .jxlp else { continue }
      // The number of the part; the highest bit marks the last one.
      guard try box.content.uint32() & 0x7FFF_FFFF == 0 else {
        throw ImageError(.malformed, at: box.offset, "The first part of the codestream is missing.")
      }
      return box.content
    }
    throw ImageError(.malformed, at: 0, "The container has no codestream.")
  }

  private static func isContainer(_ file: ByteReader) throws(ImageError) -> Bool {
    try file.matches(containerSignature, at: 0)
  }

  static func verify(_ file: ByteReader, _ format: ImageFormat, _ limits: ImageLimits) throws(ImageError) {
    guard try isContainer(file) else { return }
    var parts = PartCounter(limits)
    var reader = file
    var nextPart = 0
    var isComplete = false
    while try reader.hasMore() {
      var box = try Box(&reader, &parts)
      try box.content.requireAll()
      switch box.type {
      case .jxlc:
        guard !isComplete, nextPart == 0 else {
          throw ImageError(.malformed, at: box.offset, "There are two codestreams.")
        }
        isComplete = true
      case .jxlp:
        let index = try box.content.uint32()
        guard !isComplete, index & 0x7FFF_FFFF == nextPart else {
          throw ImageError(.malformed, at: box.offset, "The parts of the codestream are not in order.")
        }
        nextPart += 1
        isComplete = index >> 31 == 1
      default: break
      }
    }
    guard isComplete else { throw reader.endedEarly }
  }
}

extension FourCC {
  fileprivate static let jxlc = FourCC("jxlc")
  fileprivate static let jxlp = FourCC("jxlp")
}
