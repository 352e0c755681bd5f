/// PNG and APNG (PNG specification, third edition, §5, §11).
enum PNG: ImageStructure {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  static func info(
    _ file: ByteReader, _ format: ImageFormat, isCounting: Bool, _ limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    var parts = PartCounter(limits)
    var reader = file
    try reader.skip(signature.count)
    let header = try ImageHeader(after: &reader, &parts)
    var info = ImageInfo(
      format: .png, width: header.width, height: header.height, hasAlpha: header.colorType.hasAlpha,
      bitDepth: header.bitDepth)
    var hasExif = false
    while true {
      try parts.count(at: reader.position)
      var chunk = try Chunk(&reader)
      switch chunk.type {
      case .idat, .iend: return info
      case .trns: info.hasAlpha = true
      case .actl:
        // With no frames, or an impossible number of them, decoders show the default picture.
        let frames = try chunk.payload.uint32()
        guard (1...Int(Int32.max)).contains(frames) else { break }
        info.format = .apng
        info.mediaType = ImageFormat.apng.mediaType
        info.frames = frames
      case .exif:
        try chunk.payload.requireAll()
        if let orientation = Exif.orientation(chunk.payload) {
          info.orientation = orientation
          hasExif = true
        }
      case .itxt where !hasExif:
        // A truncated chunk is ignored; EXIF takes precedence over XMP.
        info.orientation = Self.orientation(inText: chunk.payload) ?? info.orientation
      default: break
      }
    }
  }
}

extension PNG {
  /// One chunk: length, type, data, CRC.
  struct Chunk {
    var offset: Int
    var type: FourCC
    var payload: ByteReader
    /// The offset of the CRC.
    var checksumOffset: Int

    init(_ reader: inout ByteReader) throws(ImageError) {
      offset = reader.position
      let length = try reader.uint32()
      type = try reader.fourCC()
      guard length <= Int(Int32.max) else {
        throw ImageError(.malformed, at: offset, "A chunk is longer than 2^31 - 1 bytes.")
      }
      payload = try reader.take(length)
      checksumOffset = reader.position
      try reader.skip(4)
    }
  }

  /// The components of a pixel.
  enum ColorType: Int {
    case gray = 0
    case color = 2
    case palette = 3
    case grayAlpha = 4
    case colorAlpha = 6

    var hasAlpha: Bool { self == .grayAlpha || self == .colorAlpha }

    var bitDepths: [Int] {
      switch self {
      case .gray: [1, 2, 4, 8, 16]
      case .palette: [1, 2, 4, 8]
      case .color, .grayAlpha, .colorAlpha: [8, 16]
      }
    }
  }

  /// The `IHDR` chunk.
  struct ImageHeader {
    var width: Int
    var height: Int
    var bitDepth: Int
    var colorType: ColorType

    /// Reads the first chunk; Apple's `CgBI` may precede it.
    init(after reader: inout ByteReader, _ parts: inout PartCounter) throws(ImageError) {
      try parts.count(at: reader.position)
      var chunk = try Chunk(&reader)
      if chunk.type == .cgbi { chunk = try Chunk(&reader) }
      let offset = chunk.offset
      guard chunk.type == .ihdr, chunk.payload.remaining == 13 else {
        throw ImageError(.malformed, at: offset, "Expected a header chunk of 13 bytes first.")
      }
      width = try chunk.payload.uint32()
      height = try chunk.payload.uint32()
      bitDepth = try chunk.payload.uint8()
      let color = try chunk.payload.uint8()
      guard let colorType = ColorType(rawValue: color), colorType.bitDepths.contains(bitDepth) else {
        throw ImageError(.malformed, at: offset + 16, "Colour type \(color) does not allow \(bitDepth) bits.")
      }
      self.colorType = colorType
      guard width <= Int(Int32.max), height <= Int(Int32.max) else {
        throw ImageError(.malformed, at: offset + 8, "A side is longer than 2^31 - 1 pixels.")
      }
      guard try chunk.payload.uint8() == 0, try chunk.payload.uint8() == 0, try chunk.payload.uint8() <= 1 else {
        throw ImageError(.malformed, at: offset + 18, "The compression, filter or interlace method is not defined.")
      }
    }
  }
}

extension FourCC {
  static let ihdr = FourCC("IHDR")
  static let cgbi = FourCC("CgBI")
  static let plte = FourCC("PLTE")
  static let trns = FourCC("tRNS")
  static let exif = FourCC("eXIf")
  static let itxt = FourCC("iTXt")
  static let actl = FourCC("acTL")
  static let fctl = FourCC("fcTL")
  static let fdat = FourCC("fdAT")
  static let idat = FourCC("IDAT")
  static let iend = FourCC("IEND")
}

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
