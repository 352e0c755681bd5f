/// Reads what an item's properties state about its samples.
enum CodecProperty {
  private static let alphaTypes = [
    "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1",
  ].map { Array($0.utf8) }

  /// Returns the bits of the widest channel; nil for any other property.
  static func bitDepth(_ property: Box) throws(ImageError) -> Int? {
    var content = property.content
    switch property.type {
    case .pixi:
      _ = try Box.version(&content)
      var widest = 0
      for _ in 0..<(try content.uint8()) { widest = max(widest, try content.uint8()) }
      return widest > 0 ? widest : nil
    case .av1C:
      // AV1-ISOBMFF §2.3.3: after tier, high_bitdepth and twelve_bit.
      try content.skip(2)
      let flags = try content.uint8()
      return flags & 0x40 == 0 ? 8 : flags & 0x20 == 0 ? 10 : 12
    case .hvcC:
      // ISO/IEC 14496-15 §8.3.3.1: bitDepthLumaMinus8 is the 18th byte.
      try content.skip(17)
      return 8 + (try content.uint8() & 7)
    case .uncC: return try uncompressedBitDepth(&content)
    default: return nil
    }
  }

  /// Returns the widest component of an uncompressed picture (ISO/IEC 23001-17 §5.2).
  private static func uncompressedBitDepth(_ content: inout ByteReader) throws(ImageError) -> Int? {
    let (version, _) = try Box.version(&content)
    // Version 1 names a profile instead of components; all of them have 8 bits.
    guard version == 0 else { return 8 }
    try content.skip(4)
    var widest: Int?
    for _ in 0..<(try content.uint32()) {
      try content.skip(2)
      widest = max(widest ?? 0, try content.uint8() + 1)
      try content.skip(2)
    }
    return widest
  }

  /// Returns whether a component definition includes alpha.
  ///
  /// Alpha is type 7 (ISO/IEC 23001-17 table 1).
  static func declaresAlpha(_ content: ByteReader) throws(ImageError) -> Bool {
    var content = content
    for _ in 0..<(try content.uint32()) {
      let type = try content.uint16()
      if type == 7 { return true }
      // Types from 0x8000 on include a name.
      if type >= 0x8000 { while try content.uint8() != 0 {} }
    }
    return false
  }

  /// Returns whether an auxiliary picture is an alpha plane.
  static func isAlpha(_ content: ByteReader) throws(ImageError) -> Bool {
    var content = content
    _ = try Box.version(&content)
    for type in alphaTypes where content.remaining >= type.count {
      if try content.matches(type, at: content.position) { return true }
    }
    return false
  }
}

extension FourCC {
  fileprivate static let pixi = FourCC("pixi")
  fileprivate static let av1C = FourCC("av1C")
  fileprivate static let hvcC = FourCC("hvcC")
  fileprivate static let uncC = FourCC("uncC")
}
