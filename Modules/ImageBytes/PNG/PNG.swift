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
