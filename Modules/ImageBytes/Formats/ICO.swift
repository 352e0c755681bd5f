/// Windows icons and cursors.
enum ICO: ImageStructure {
  static func isRecognized(_ file: ByteReader) throws(ImageError) -> Bool {
    guard try file.uint8(at: 0) == 0, try file.uint8(at: 1) == 0 else { return false }
    let kind = try file.uint8(at: 2)
    guard kind == 1 || kind == 2, try file.uint8(at: 3) == 0 else { return false }
    // Many files start with these four bytes; a plausible first entry identifies an icon.
    var reader = file
    reader.order = .littleEndian
    let count = try reader.uint16(at: 4)
    guard count > 0, try reader.uint32(at: 14) > 0 else { return false }
    return try reader.uint32(at: 18) >= 6 + 16 * count
  }

  static func info(
    _ file: ByteReader, _ format: ImageFormat, isCounting: Bool, _ limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    var parts = PartCounter(limits)
    var reader = file
    let count = try entryCount(&reader)
    var best: Entry?
    for _ in 0..<count {
      let entry = try Entry(&reader, format, &parts)
      if let known = best, entry.rank <= known.rank { continue }
      best = entry
    }
    guard let best else {
      throw ImageError(.malformed, at: 4, "The directory lists no picture.")
    }
    // The picture's own header counts; the directory has one byte per side and is often wrong.
    return try best.picture(in: file, format, limits)
  }

  static func verify(_ file: ByteReader, _ format: ImageFormat, _ limits: ImageLimits) throws(ImageError) {
    var parts = PartCounter(limits)
    var reader = file
    let count = try entryCount(&reader)
    for _ in 0..<count {
      let entry = try Entry(&reader, format, &parts)
      try entry.verify(in: file, format, limits)
    }
  }

  private static func entryCount(_ reader: inout ByteReader) throws(ImageError) -> Int {
    reader.order = .littleEndian
    try reader.skip(4)
    return try reader.uint16()
  }
}

extension ICO {
  /// One picture, as described in the directory.
  struct Entry {
    var offset: Int
    var width: Int
    var height: Int
    /// The bits per pixel; 0 when the directory does not state them.
    ///
    /// The directory of a cursor never does.
    var bitCount: Int
    var dataSize: Int
    var dataOffset: Int

    init(_ reader: inout ByteReader, _ format: ImageFormat, _ parts: inout PartCounter) throws(ImageError) {
      try parts.count(at: reader.position)
      offset = reader.position
      let sides = (try reader.uint8(), try reader.uint8())
      width = sides.0 == 0 ? 256 : sides.0
      height = sides.1 == 0 ? 256 : sides.1
      try reader.skip(4)
      let bits = try reader.uint16()
      bitCount = format == .ico && bits <= 64 ? bits : 0
      dataSize = try reader.uint32()
      dataOffset = try reader.uint32()
    }

    /// Ranks pictures: larger ones are better, then those with more colours.
    var rank: Int { width * height * 128 + bitCount }

    private func isPNG(_ file: ByteReader) throws(ImageError) -> Bool {
      try file.matches(PNG.signature, at: dataOffset)
    }

    /// Returns the PNG or bitmap as a file of its own.
    private func data(_ file: ByteReader) throws(ImageError) -> ByteReader {
      try file.window(at: dataOffset, count: dataSize)
    }

    func picture(in file: ByteReader, _ format: ImageFormat, _ limits: ImageLimits) throws(ImageError) -> ImageInfo {
      var info: ImageInfo
      if try isPNG(file) {
        info = try PNG.info(try data(file), .png, isCounting: false, limits)
        info.format = format
        info.mediaType = format.mediaType
        info.frames = 1
      } else {
        let header = try bitmapHeader(file)
        // The pixels are followed by a mask of one bit each, so every such picture may be transparent.
        info = ImageInfo(
          format: format, width: header.width, height: header.height / 2, hasAlpha: true, bitDepth: header.bitDepth)
      }
      try limits.check(width: info.width, height: info.height, at: dataOffset)
      return info
    }

    private func bitmapHeader(_ file: ByteReader) throws(ImageError) -> DIBHeader {
      var reader = try data(file)
      return try DIBHeader(&reader)
    }

    func verify(in file: ByteReader, _ format: ImageFormat, _ limits: ImageLimits) throws(ImageError) {
      let data = try data(file)
      try data.requireAll()
      _ = try picture(in: file, format, limits)
      if try isPNG(file) { return try PNG.verify(data, .png, limits) }
      let header = try bitmapHeader(file)
      // Half of the rows are the mask, which some writers omit for pictures with alpha.
      guard header.compression.storesRows else { return }
      guard let rows = header.rowsSize(header.height / 2), rows <= dataSize - header.size - header.paletteSize else {
        throw ImageError(.malformed, at: offset, "The picture is larger than the directory says.")
      }
    }
  }
}
