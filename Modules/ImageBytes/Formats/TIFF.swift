/// TIFF 6.0 and BigTIFF.
enum TIFF: ImageStructure {
  /// The tags that are read (TIFF 6.0 §8).
  enum Tag {
    static let width = 256
    static let height = 257
    static let bitsPerSample = 258
    static let stripOffsets = 273
    static let orientation = 274
    static let stripByteCounts = 279
    static let tileOffsets = 324
    static let tileByteCounts = 325
    static let extraSamples = 338

    static let read: Set<Int> = [
      width, height, bitsPerSample, stripOffsets, orientation, stripByteCounts, tileOffsets, tileByteCounts,
      extraSamples,
    ]
  }

  static func isRecognized(_ file: ByteReader) throws(ImageError) -> Bool {
    for header: [UInt8] in [
      [0x49, 0x49, 42, 0], [0x4D, 0x4D, 0, 42], [0x49, 0x49, 43, 0, 8, 0, 0, 0], [0x4D, 0x4D, 0, 43, 0, 8, 0, 0],
    ] where try file.matches(header, at: 0) { return true }
    return false
  }

  static func info(
    _ file: ByteReader, _ format: ImageFormat, isCounting: Bool, _ limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    var parts = PartCounter(limits)
    var reader = file
    let first = try TIFFDirectory.first(&reader)
    let directory = try TIFFDirectory(reader, at: first.offset, isBig: first.isBig)
    let page = try Page(directory, &parts)
    var pages: Int?
    if isCounting {
      var chain = PageChain(first: first.offset)
      while let offset = chain.next {
        try parts.count(at: offset)
        chain.follow(try TIFFDirectory(reader, at: offset, isBig: first.isBig).nextOffset())
      }
      pages = chain.count
    }
    return ImageInfo(
      format: .tiff, width: page.width, height: page.height, orientation: page.orientation, frames: pages,
      hasAlpha: page.hasAlpha, bitDepth: page.bitDepth)
  }
}

extension TIFF {
  /// The chain of directories; a repeated one ends it.
  struct PageChain {
    private(set) var next: Int?
    /// Whether the chain returned to an earlier directory.
    private(set) var isLoop = false
    private var seen: Set<Int> = []

    init(first: Int) {
      next = first == 0 ? nil : first
    }

    /// The number of directories visited.
    var count: Int { seen.count }

    mutating func follow(_ offset: Int) {
      guard let current = next else { return }
      seen.insert(current)
      isLoop = seen.contains(offset)
      next = offset == 0 || isLoop ? nil : offset
    }
  }

  /// The properties in the directory of a page.
  struct Page {
    var width = 0
    var height = 0
    var bitDepth = 1
    var orientation = ImageOrientation.up
    var hasAlpha = false
    /// The entry that locates the strips or tiles, and that of their lengths.
    var dataOffsets: TIFFDirectory.Entry?
    var dataByteCounts: TIFFDirectory.Entry?

    init(_ directory: TIFFDirectory, _ parts: inout PartCounter) throws(ImageError) {
      var seen: Set<Int> = []
      var index = 0
      while index < directory.count {
        let entry = try directory.entry(index)
        index += 1
        try parts.count(at: entry.offset)
        // Readers ignore fields of unknown type (TIFF 6.0 p. 16); the first entry of a tag counts.
        guard Tag.read.contains(entry.tag), entry.type != nil, seen.insert(entry.tag).inserted else { continue }
        try read(entry, of: directory)
      }
    }

    private mutating func read(_ entry: TIFFDirectory.Entry, of directory: TIFFDirectory) throws(ImageError) {
      switch entry.tag {
      case Tag.width: width = try directory.value(0, of: entry)
      case Tag.height: height = try directory.value(0, of: entry)
      case Tag.bitsPerSample: bitDepth = try directory.values(of: entry, atMost: 64).max() ?? 1
      case Tag.orientation:
        // An undefined value is no reason to reject the picture.
        guard entry.type?.isUnsignedInteger == true, entry.count > 0 else { return }
        orientation = ImageOrientation(rawValue: try directory.value(0, of: entry)) ?? .up
      case Tag.extraSamples:
        // 1 means premultiplied alpha, 2 means unassociated alpha, and 0 means unspecified data.
        hasAlpha = try directory.values(of: entry, atMost: 64).contains { $0 == 1 || $0 == 2 }
      case Tag.stripOffsets, Tag.tileOffsets: dataOffsets = entry
      case Tag.stripByteCounts, Tag.tileByteCounts: dataByteCounts = entry
      default: break
      }
    }
  }
}

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

/// Reads the orientation in EXIF data that other formats contain.
enum Exif {
  private static let marker: [UInt8] = Array("Exif\0".utf8)

  /// Returns the orientation in a complete block; nil if it states none.
  ///
  /// A damaged block is not an error, because it does not affect the picture. The block may start with JPEG's prefix.
  static func orientation(_ block: ByteReader) -> ImageOrientation? {
    guard let tiff = try? content(block) else { return nil }
    return try? firstOrientation(tiff)
  }

  /// Returns whether a JPEG segment contains EXIF.
  static func isExif(_ segment: ByteReader) throws(ImageError) -> Bool {
    guard segment.remaining >= 6 else { return false }
    return try segment.matches(marker, at: segment.position)
  }

  private static func content(_ block: ByteReader) throws(ImageError) -> ByteReader {
    var block = block
    if try isExif(block) { try block.skip(6) }
    return block.takeRest()
  }

  private static func firstOrientation(_ tiff: ByteReader) throws(ImageError) -> ImageOrientation? {
    var reader = tiff
    let (offset, isBig) = try TIFFDirectory.first(&reader)
    let directory = try TIFFDirectory(reader, at: offset, isBig: isBig)
    // A block has at most 64 KiB in JPEG, but no such limit in other formats.
    for index in 0..<min(directory.count, 4096) {
      let entry = try directory.entry(index)
      guard entry.tag == TIFF.Tag.orientation else { continue }
      return ImageOrientation(rawValue: try directory.value(0, of: entry))
    }
    return nil
  }
}
