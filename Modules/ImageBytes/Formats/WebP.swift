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

extension WebP {
  static func verify(_ file: ByteReader, _ format: ImageFormat, _ limits: ImageLimits) throws(ImageError) {
    var parts = PartCounter(limits)
    var reader = try content(file)
    try reader.requireAll()
    var first = try Chunk(&reader, &parts)
    guard first.type == .vp8x else {
      return try verifyPicture(first, limits)
    }
    let canvas = try Canvas(&first.payload)
    var pictures = 0
    while try reader.hasMore() {
      let chunk = try Chunk(&reader, &parts)
      switch chunk.type {
      case .vp8, .vp8l:
        let picture = try Picture(chunk)
        try verifyPicture(chunk, limits)
        guard canvas.isAnimated || (picture.width == canvas.width && picture.height == canvas.height) else {
          throw ImageError(.malformed, at: chunk.offset, "The picture's size differs from its canvas.")
        }
        pictures += 1
      case .anmf:
        try verifyFrame(chunk, canvas, limits, &parts)
        pictures += 1
      case .vp8x: throw ImageError(.malformed, at: chunk.offset, "There are two canvases.")
      default: break
      }
    }
    guard pictures > 0 else {
      throw ImageError(.malformed, at: reader.position, "The canvas has no picture.")
    }
  }

  private static func verifyPicture(_ chunk: Chunk, _ limits: ImageLimits) throws(ImageError) {
    try chunk.payload.requireAll()
    let picture = try Picture(chunk)
    try limits.check(width: picture.width, height: picture.height, at: chunk.offset)
    guard picture.partitionSize <= chunk.payload.remaining else {
      throw ImageError(.malformed, at: chunk.offset, "The first partition is longer than its chunk.")
    }
  }

  /// Checks one frame of an animation (RFC 9649 §2.7.1.1).
  private static func verifyFrame(
    _ chunk: Chunk, _ canvas: Canvas, _ limits: ImageLimits, _ parts: inout PartCounter
  ) throws(ImageError) {
    var frame = chunk.payload
    let x = Int(try frame.uint(bytes: 3)) * 2
    let y = Int(try frame.uint(bytes: 3)) * 2
    let width = Int(try frame.uint(bytes: 3)) + 1
    let height = Int(try frame.uint(bytes: 3)) + 1
    try frame.skip(4)
    guard x + width <= canvas.width, y + height <= canvas.height else {
      throw ImageError(.malformed, at: chunk.offset, "A frame exceeds its canvas.")
    }
    while try frame.hasMore() {
      let inner = try Chunk(&frame, &parts)
      guard inner.type == .vp8 || inner.type == .vp8l else { continue }
      try verifyPicture(inner, limits)
      let picture = try Picture(inner)
      guard picture.width == width, picture.height == height else {
        throw ImageError(.malformed, at: inner.offset, "The picture's size differs from its frame.")
      }
      return
    }
    throw ImageError(.malformed, at: chunk.offset, "A frame has no picture.")
  }
}
