/// GIF 87a and 89a (CompuServe, July 1990).
enum GIF: ImageStructure {
  static func isRecognized(_ file: ByteReader) throws(ImageError) -> Bool {
    guard try file.matches(Array("GIF8".utf8), at: 0) else { return false }
    let version = try file.uint8(at: 4)
    guard version == 0x37 || version == 0x39 else { return false }
    return try file.uint8(at: 5) == 0x61
  }

  static func info(
    _ file: ByteReader, _ format: ImageFormat, isCounting: Bool, _ limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    var parts = PartCounter(limits)
    var reader = file
    let screen = try Screen(&reader)
    var isTransparent = false
    var info: ImageInfo?
    var frames = 0
    blocks: while let block = try Block(&reader, &parts) {
      switch block {
      case .unknown: break blocks  // Viewers show what came before.
      case .graphicControl(let transparent): isTransparent = transparent
      case .extension: try skipSubBlocks(&reader)
      case .frame(let frame):
        // A frame may be larger than the screen, and viewers still decode it.
        try limits.checkPixels(width: frame.width, height: frame.height, at: reader.position)
        frames += 1
        if info == nil {
          info = ImageInfo(
            format: .gif, width: screen.width > 0 ? screen.width : frame.right,
            height: screen.height > 0 ? screen.height : frame.bottom, frames: nil, hasAlpha: isTransparent,
            bitDepth: frame.tableBits ?? screen.tableBits ?? 8)
          if !isCounting { return try found(info, at: reader.position) }
        }
        try reader.skip(1)
        try skipSubBlocks(&reader)
      }
    }
    info?.frames = frames
    return try found(info, at: reader.position)
  }

  private static func found(_ info: ImageInfo?, at offset: Int) throws(ImageError) -> ImageInfo {
    guard let info else { throw ImageError(.malformed, at: offset, "Expected a picture before the trailer.") }
    return info
  }

  static func verify(_ file: ByteReader, _ format: ImageFormat, _ limits: ImageLimits) throws(ImageError) {
    var parts = PartCounter(limits)
    var reader = file
    _ = try Screen(&reader)
    while let block = try Block(&reader, &parts) {
      switch block {
      case .unknown(let offset):
        throw ImageError(
          .malformed, at: offset, "Expected an image, an extension or the trailer, found an unknown block.")
      case .graphicControl: break
      case .extension: try skipSubBlocks(&reader)
      case .frame(let frame):
        let offset = reader.position
        try limits.checkPixels(width: frame.width, height: frame.height, at: offset)
        let codeSize = try reader.uint8()
        guard (1...11).contains(codeSize) else {
          throw ImageError(.malformed, at: offset, "LZW codes of \(codeSize) bits are not defined; expected 1 to 11.")
        }
        try skipSubBlocks(&reader)
      }
    }
  }
}

extension GIF {
  /// The logical screen, which is the canvas.
  struct Screen {
    var width: Int
    var height: Int
    /// The bits of a global colour index; nil without a global colour table.
    var tableBits: Int?

    init(_ reader: inout ByteReader) throws(ImageError) {
      reader.order = .littleEndian
      try reader.skip(6)
      width = try reader.uint16()
      height = try reader.uint16()
      let flags = try reader.uint8()
      try reader.skip(2)
      tableBits = try GIF.skipTable(&reader, flags)
    }
  }

  /// The position and colour table of one frame.
  struct Frame {
    var left: Int
    var top: Int
    var width: Int
    var height: Int
    var tableBits: Int?

    var right: Int { left + width }
    var bottom: Int { top + height }

    init(_ reader: inout ByteReader) throws(ImageError) {
      left = try reader.uint16()
      top = try reader.uint16()
      width = try reader.uint16()
      height = try reader.uint16()
      tableBits = try GIF.skipTable(&reader, try reader.uint8())
    }
  }

  /// A block between the screen descriptor and the trailer.
  enum Block {
    case graphicControl(isTransparent: Bool)
    case `extension`
    case frame(Frame)
    case unknown(offset: Int)

    /// Reads the next block up to its sub-blocks; nil at the trailer.
    init?(_ reader: inout ByteReader, _ parts: inout PartCounter) throws(ImageError) {
      while true {
        try parts.count(at: reader.position)
        let offset = reader.position
        switch try reader.uint8() {
        case 0x00: continue  // Many files contain stray terminators between blocks.
        case 0x21:
          guard try reader.uint8() == 0xF9, try reader.uint8(at: reader.position) == 4 else {
            self = .extension
            return
          }
          let flags = try reader.uint8(at: reader.position + 1)
          try GIF.skipSubBlocks(&reader)
          self = .graphicControl(isTransparent: flags & 1 == 1)
          return
        case 0x2C:
          self = .frame(try Frame(&reader))
          return
        case 0x3B: return nil
        default:
          self = .unknown(offset: offset)
          return
        }
      }
    }
  }

  /// Skips a colour table if the flags announce one, and returns its index bits.
  fileprivate static func skipTable(_ reader: inout ByteReader, _ flags: Int) throws(ImageError) -> Int? {
    guard flags & 0x80 != 0 else { return nil }
    let bits = (flags & 7) + 1
    try reader.skip(3 << bits)
    return bits
  }

  /// Skips data sub-blocks up to and including the empty one that ends them.
  fileprivate static func skipSubBlocks(_ reader: inout ByteReader) throws(ImageError) {
    while true {
      let length = try reader.uint8()
      if length == 0 { return }
      try reader.skip(length)
    }
  }
}
