/// WebP (RFC 9649).
enum WebP: ImageStructure {
  static func isRecognized(_ file: ByteReader) throws(ImageError) -> Bool {
    guard try file.matches(Array("RIFF".utf8), at: 0) else { return false }
    return try file.matches(Array("WEBP".utf8), at: 8)
  }

  static func info(
    _ file: ByteReader, _ format: ImageFormat, isCounting: Bool, _ limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    var parts = PartCounter(limits)
    var reader = try content(file)
    var first = try Chunk(&reader, &parts)
    guard first.type == .vp8x else {
      let picture = try Picture(first)
      return ImageInfo(
        format: .webp, width: picture.width, height: picture.height, hasAlpha: picture.hasAlpha)
    }
    let canvas = try Canvas(&first.payload)
    var info = ImageInfo(
      format: .webp, width: canvas.width, height: canvas.height, frames: canvas.isAnimated ? nil : 1,
      hasAlpha: canvas.hasAlpha)
    let countsFrames = canvas.isAnimated && isCounting
    guard canvas.hasExif || canvas.hasPacket || countsFrames else { return info }
    var frames = 0
    var hasOrientation = false
    while try reader.hasMore() {
      let chunk = try Chunk(&reader, &parts)
      switch chunk.type {
      case .anmf: frames += 1
      case .exifUpper where canvas.hasExif && !hasOrientation:
        try chunk.payload.requireAll()
        info.orientation = Exif.orientation(chunk.payload) ?? .up
        hasOrientation = true
        if !countsFrames, !canvas.hasPacket || info.orientation != .up { return info }
      // EXIF comes first in a file and takes precedence over XMP.
      case .xmp where canvas.hasPacket && info.orientation == .up:
        try chunk.payload.requireAll()
        info.orientation = XMP.orientation(chunk.payload) ?? .up
        if !countsFrames { return info }
      default: break
      }
    }
    if countsFrames { info.frames = frames }
    return info
  }

  /// Returns the chunks inside the RIFF container.
  static func content(_ file: ByteReader) throws(ImageError) -> ByteReader {
    var reader = file
    reader.order = .littleEndian
    try reader.skip(4)
    let size = try reader.uint32()
    var content = try reader.take(size)
    try content.skip(4)
    return content
  }
}

extension WebP {
  /// One RIFF chunk; the position moves past its padding.
  struct Chunk {
    var offset: Int
    var type: FourCC
    var payload: ByteReader

    init(_ reader: inout ByteReader, _ parts: inout PartCounter) throws(ImageError) {
      try parts.count(at: reader.position)
      offset = reader.position
      reader.order = .bigEndian
      type = try reader.fourCC()
      reader.order = .littleEndian
      let length = try reader.uint32()
      payload = try reader.take(length)
      if length % 2 == 1 { reader.skipPadding() }
    }
  }

  /// The `VP8X` chunk (RFC 9649 §2.7).
  struct Canvas {
    var width: Int
    var height: Int
    var hasAlpha: Bool
    var hasExif: Bool
    /// Whether there is an XMP packet.
    var hasPacket: Bool
    var isAnimated: Bool

    init(_ payload: inout ByteReader) throws(ImageError) {
      let flags = try payload.uint8()
      hasAlpha = flags & 0x10 != 0
      hasExif = flags & 0x08 != 0
      hasPacket = flags & 0x04 != 0
      isAnimated = flags & 0x02 != 0
      try payload.skip(3)
      width = Int(try payload.uint(bytes: 3)) + 1
      height = Int(try payload.uint(bytes: 3)) + 1
    }
  }

  /// The header of a coded picture: VP8 (RFC 6386 §9.1) or VP8L (RFC 9649 §3.4).
  struct Picture {
    var width: Int
    var height: Int
    var hasAlpha: Bool
    /// The size of VP8's first partition in bytes; 0 for VP8L.
    var partitionSize = 0

    init(_ chunk: Chunk) throws(ImageError) {
      var payload = chunk.payload
      switch chunk.type {
      case .vp8:
        let tag = Int(try payload.uint(bytes: 3))
        guard tag & 1 == 0, try payload.uint8() == 0x9D, try payload.uint8() == 0x01, try payload.uint8() == 0x2A
        else { throw ImageError(.malformed, at: chunk.offset, "The lossy picture does not start with a key frame.") }
        partitionSize = tag >> 5
        width = try payload.uint16() & 0x3FFF
        height = try payload.uint16() & 0x3FFF
        hasAlpha = false
      case .vp8l:
        guard try payload.uint8() == 0x2F else {
          throw ImageError(.malformed, at: chunk.offset, "The lossless picture does not start with its signature.")
        }
        let bits = try payload.uint32()
        guard bits >> 29 == 0 else {
          throw ImageError(.unsupported, at: chunk.offset, "The lossless picture has an unsupported version.")
        }
        width = bits & 0x3FFF + 1
        height = bits >> 14 & 0x3FFF + 1
        hasAlpha = bits >> 28 & 1 == 1
      default: throw ImageError(.malformed, at: chunk.offset, "The first chunk contains no picture.")
      }
    }
  }
}

extension FourCC {
  static let vp8 = FourCC("VP8 ")
  static let vp8l = FourCC("VP8L")
  static let vp8x = FourCC("VP8X")
  static let anmf = FourCC("ANMF")
  static let exifUpper = FourCC("EXIF")
  static let xmp = FourCC("XMP ")
}
