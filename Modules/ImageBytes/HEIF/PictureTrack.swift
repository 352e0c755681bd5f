/// The track of a picture sequence (ISO/IEC 23008-12 §7).
struct PictureTrack {
  var width: Int
  var height: Int
  var sampleCount: Int
  var bitDepth: Int?
  /// The box that locates the pictures, and the size of its offsets in bytes.
  var chunkOffsets: ByteReader?
  var chunkOffsetSize = 4

  /// Returns the first picture or video track of a `moov` box; skips sound.
  static func first(in moov: ByteReader, _ parts: inout PartCounter) throws(ImageError) -> PictureTrack? {
    var moov = moov
    while try moov.hasMore() {
      let box = try Box(&moov, &parts)
      guard box.type == .trak, let track = try PictureTrack(box.content, &parts) else { continue }
      return track
    }
    return nil
  }

  private init?(_ trak: ByteReader, _ parts: inout PartCounter) throws(ImageError) {
    guard let media = try Box.first(.mdia, in: trak, &parts)?.content,
      var handler = try Box.first(.hdlr, in: media, &parts)?.content
    else { return nil }
    try handler.skip(8)
    let kind = try handler.fourCC()
    guard kind == .pict || kind == .vide else { return nil }
    guard let table = try Box.content(of: [.minf, .stbl], in: media, &parts),
      var descriptions = try Box.first(.stsd, in: table, &parts)?.content,
      var sizes = try Box.first(.stsz, in: table, &parts)?.content
    else { throw ImageError(.malformed, at: trak.start, "The track does not describe its pictures.") }
    try sizes.skip(8)
    sampleCount = try sizes.uint32()
    try descriptions.skip(8)
    var entry = try Box(&descriptions, &parts).content
    // VisualSampleEntry (ISO/IEC 14496-12 §12.1.3): 24 bytes before the size, 50 between it and the boxes.
    try entry.skip(24)
    width = try entry.uint16()
    height = try entry.uint16()
    try entry.skip(50)
    while try entry.hasMore() {
      bitDepth = try CodecProperty.bitDepth(try Box(&entry, &parts)) ?? bitDepth
    }
    chunkOffsets = try Box.first(.stco, in: table, &parts)?.content
    if chunkOffsets == nil {
      chunkOffsets = try Box.first(.co64, in: table, &parts)?.content
      chunkOffsetSize = 8
    }
  }

  func info(_ format: ImageFormat) -> ImageInfo {
    ImageInfo(format: format, width: width, height: height, frames: sampleCount, bitDepth: bitDepth ?? 8)
  }
}

extension FourCC {
  fileprivate static let trak = FourCC("trak")
  fileprivate static let mdia = FourCC("mdia")
  fileprivate static let hdlr = FourCC("hdlr")
  fileprivate static let minf = FourCC("minf")
  fileprivate static let stbl = FourCC("stbl")
  fileprivate static let stsd = FourCC("stsd")
  fileprivate static let stsz = FourCC("stsz")
  fileprivate static let stco = FourCC("stco")
  fileprivate static let co64 = FourCC("co64")
  fileprivate static let pict = FourCC("pict")
  fileprivate static let vide = FourCC("vide")
}
