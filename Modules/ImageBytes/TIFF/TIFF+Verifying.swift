extension TIFF {
  static func verify(_ file: ByteReader, _ format: ImageFormat, _ limits: ImageLimits) throws(ImageError) {
    var parts = PartCounter(limits)
    var reader = file
    let first = try TIFFDirectory.first(&reader)
    var chain = PageChain(first: first.offset)
    while let offset = chain.next {
      let directory = try TIFFDirectory(reader, at: offset, isBig: first.isBig)
      let page = try Page(directory, &parts)
      try limits.check(width: page.width, height: page.height, at: offset)
      try verifyValues(of: directory, in: reader)
      try verifyData(of: page, directory, in: reader, at: offset, &parts)
      chain.follow(try directory.nextOffset())
      guard !chain.isLoop else {
        throw ImageError(.malformed, at: offset, "The list of pages is circular.")
      }
    }
  }

  /// Checks that the values of every entry are in the file.
  private static func verifyValues(of directory: TIFFDirectory, in file: ByteReader) throws(ImageError) {
    var index = 0
    while index < directory.count {
      let entry = try directory.entry(index)
      index += 1
      // Readers ignore unknown types (TIFF 6.0 p. 16).
      guard entry.type != nil else { continue }
      guard let byteCount = entry.byteCount else {
        throw ImageError(.malformed, at: entry.offset, "Tag \(entry.tag) is larger than any file.")
      }
      try file.window(at: entry.valueOffset, count: byteCount).requireAll()
    }
  }

  /// Checks that every strip or tile is in the file.
  private static func verifyData(
    of page: Page, _ directory: TIFFDirectory, in file: ByteReader, at offset: Int, _ parts: inout PartCounter
  ) throws(ImageError) {
    guard let offsets = page.dataOffsets, let byteCounts = page.dataByteCounts else {
      throw ImageError(.malformed, at: offset, "A page does not locate its pixels.")
    }
    guard offsets.count == byteCounts.count, offsets.count > 0 else {
      throw ImageError(.malformed, at: offset, "The numbers of strips and of strip lengths differ.")
    }
    var index = 0
    while index < offsets.count {
      try parts.count(at: offset)
      let start = try directory.value(index, of: offsets)
      try file.window(at: start, count: try directory.value(index, of: byteCounts)).requireAll()
      index += 1
    }
  }
}
