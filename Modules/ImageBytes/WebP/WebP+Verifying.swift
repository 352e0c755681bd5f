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
