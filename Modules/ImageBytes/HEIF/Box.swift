/// One box of the ISO base media file format (ISO/IEC 14496-12 §4.2).
struct Box {
  var offset: Int
  var type: FourCC
  var content: ByteReader

  /// Reads the header of a box and moves past the box.
  ///
  /// The bytes of its content need not be available.
  init(_ reader: inout ByteReader, _ parts: inout PartCounter) throws(ImageError) {
    try parts.count(at: reader.position)
    reader.order = .bigEndian
    offset = reader.position
    var size = try reader.uint32()
    type = try reader.fourCC()
    var headerSize = 8
    if size == 1 {
      size = try reader.length(bytes: 8)
      headerSize = 16
    } else if size == 0 {
      // The box reaches to the end of the file, or of the box that contains it.
      content = reader.takeRest()
      return
    }
    guard size >= headerSize else {
      throw ImageError(.malformed, at: offset, "A box is smaller than its header.")
    }
    content = try reader.take(size - headerSize)
  }

  /// Reads the version and flags of a full box from its content.
  static func version(_ content: inout ByteReader) throws(ImageError) -> (version: Int, flags: Int) {
    let word = try content.uint32()
    return (word >> 24, word & 0xFF_FFFF)
  }

  /// Returns the first box of a type from the position on; nil if no box has it.
  static func first(
    _ type: FourCC, in container: ByteReader, _ parts: inout PartCounter
  ) throws(ImageError) -> Box? {
    var container = container
    while try container.hasMore() {
      let box = try Box(&container, &parts)
      if box.type == type { return box }
    }
    return nil
  }

  /// Returns the content of a box several levels down; nil when a level is missing.
  static func content(
    of path: [FourCC], in container: ByteReader, _ parts: inout PartCounter
  ) throws(ImageError) -> ByteReader? {
    var content = container
    for type in path {
      guard let box = try first(type, in: content, &parts) else { return nil }
      content = box.content
    }
    return content
  }
}
