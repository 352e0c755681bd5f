extension PNG {
  static func verify(_ file: ByteReader, _ format: ImageFormat, _ limits: ImageLimits) throws(ImageError) {
    var parts = PartCounter(limits)
    var reader = file
    try reader.skip(signature.count)
    var headerReader = reader
    let header = try ImageHeader(after: &headerReader, &parts)
    var order = ChunkOrder(header: header, limits: limits)
    while true {
      try parts.count(at: reader.position)
      let chunk = try Chunk(&reader)
      try verifyChecksum(of: chunk, in: file)
      try order.accept(chunk)
      if chunk.type == .iend { break }
    }
    try order.finish(at: reader.position)
  }

  private static func verifyChecksum(of chunk: Chunk, in file: ByteReader) throws(ImageError) {
    let covered = chunk.checksumOffset - chunk.offset - 4
    let computed = try file.crc32(covered, at: chunk.offset + 4)
    guard try file.uint32(at: chunk.checksumOffset) == Int(computed) else {
      throw ImageError(.checksumMismatch, at: chunk.checksumOffset, "The CRC of a chunk does not match its bytes.")
    }
  }

  /// Checks the order of chunks (PNG, third edition, §5.6 and §11.3.5).
  struct ChunkOrder {
    private let header: ImageHeader
    private let limits: ImageLimits
    private var chunks = 0
    private var hasHeader = false
    private var hasPalette = false
    private var hasData = false
    private var isInData = false
    private var declaredFrames: Int?
    private var frameControls = 0
    private var nextSequence = 0

    init(header: ImageHeader, limits: ImageLimits) {
      self.header = header
      self.limits = limits
    }

    mutating func accept(_ chunk: Chunk) throws(ImageError) {
      defer {
        isInData = chunk.type == .idat
        chunks += 1
      }
      switch chunk.type {
      case .ihdr:
        guard !hasHeader else { throw ImageError(.malformed, at: chunk.offset, "Found a second header chunk.") }
        hasHeader = true
      case .plte:
        guard !hasPalette, !hasData, !chunk.payload.isEmpty, chunk.payload.remaining % 3 == 0,
          chunk.payload.remaining <= 768
        else {
          throw ImageError(.malformed, at: chunk.offset, "The palette is in the wrong place or has an invalid length.")
        }
        hasPalette = true
      case .idat:
        guard !hasData || isInData else {
          throw ImageError(.malformed, at: chunk.offset, "The data chunks are not consecutive.")
        }
        hasData = true
      case .actl: try acceptAnimation(chunk)
      case .fctl where declaredFrames != nil: try acceptFrame(chunk)
      case .fdat where declaredFrames != nil:
        guard frameControls > 0, hasData else {
          throw ImageError(.malformed, at: chunk.offset, "Found frame data before its frame control.")
        }
        var payload = chunk.payload
        try acceptSequence(&payload)
      case .iend:
        guard chunk.payload.isEmpty else {
          throw ImageError(.malformed, at: chunk.offset, "The end chunk is not empty.")
        }
      // Without an animation control before the data, chunks of frames count as unknown.
      default: try acceptUnknown(chunk)
      }
    }

    private mutating func acceptAnimation(_ chunk: Chunk) throws(ImageError) {
      // An animation control after the data is ignored, like an unknown chunk.
      guard !hasData, declaredFrames == nil else { return }
      var payload = chunk.payload
      let frames = try payload.uint32()
      guard payload.remaining == 4, frames <= Int(Int32.max) else {
        throw ImageError(
          .malformed, at: chunk.offset, "The animation control is not 8 bytes long, or has over 2^31 - 1 frames.")
      }
      declaredFrames = frames
    }

    private mutating func acceptFrame(_ chunk: Chunk) throws(ImageError) {
      var payload = chunk.payload
      guard payload.remaining == 26 else {
        throw ImageError(.malformed, at: chunk.offset, "A frame control is not 26 bytes long.")
      }
      try acceptSequence(&payload)
      let width = try payload.uint32()
      let height = try payload.uint32()
      let x = try payload.uint32()
      let y = try payload.uint32()
      try limits.check(width: width, height: height, at: chunk.offset)
      guard x + width <= header.width, y + height <= header.height else {
        throw ImageError(.malformed, at: chunk.offset, "A frame exceeds the picture.")
      }
      frameControls += 1
    }

    private mutating func acceptSequence(_ payload: inout ByteReader) throws(ImageError) {
      let offset = payload.position
      guard try payload.uint32() == nextSequence else {
        throw ImageError(.malformed, at: offset, "The frames are not in order.")
      }
      nextSequence += 1
    }

    private func acceptUnknown(_ chunk: Chunk) throws(ImageError) {
      guard chunk.type.isLetters else {
        throw ImageError(.malformed, at: chunk.offset, "The type of a chunk is not four letters.")
      }
      guard chunk.type.isAncillary || (chunk.type == .cgbi && chunks == 0) else {
        throw ImageError(.malformed, at: chunk.offset, "Found an unknown critical chunk.")
      }
    }

    func finish(at offset: Int) throws(ImageError) {
      guard hasData else { throw ImageError(.malformed, at: offset, "There is no picture data.") }
      guard header.colorType != .palette || hasPalette else {
        throw ImageError(.malformed, at: offset, "The palette is missing.")
      }
      guard declaredFrames == nil || declaredFrames == frameControls else {
        throw ImageError(.malformed, at: offset, "The number of frames differs from the animation control.")
      }
    }
  }
}

extension FourCC {
  fileprivate var letters: [UInt32] { [rawValue >> 24, rawValue >> 16 & 0xFF, rawValue >> 8 & 0xFF, rawValue & 0xFF] }

  /// Whether all four bytes are ASCII letters.
  fileprivate var isLetters: Bool {
    letters.allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
  }

  /// Whether a decoder may skip a chunk of this type: bit 5 of the first letter.
  fileprivate var isAncillary: Bool { rawValue & 0x2000_0000 != 0 }
}
