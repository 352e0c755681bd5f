/// One image file directory: a list of tagged values (TIFF 6.0 §2, BigTIFF).
struct TIFFDirectory {
  /// One tagged value, or a list of them.
  struct Entry {
    var offset: Int
    var tag: Int
    var type: ValueType?
    var count: Int
    /// Where the values stand: in the entry when they fit, else where it points to.
    var valueOffset: Int

    /// How many bytes the values take; nil for a type not known, or more than any file has.
    var byteCount: Int? {
      guard let type else { return nil }
      let (bytes, overflow) = count.multipliedReportingOverflow(by: type.size)
      return overflow ? nil : bytes
    }
  }

  /// The types of values (TIFF 6.0 p. 15; 13 from TIFF technical note 1, 16 to 18 from BigTIFF).
  enum ValueType: Int {
    case byte = 1
    case ascii, short, long, rational, signedByte, undefined, signedShort, signedLong, signedRational, float, double
    case directory
    case long8 = 16
    case signedLong8, directory8

    var size: Int {
      switch self {
      case .byte, .ascii, .signedByte, .undefined: 1
      case .short, .signedShort: 2
      case .long, .signedLong, .float, .directory: 4
      case .rational, .signedRational, .double, .long8, .signedLong8, .directory8: 8
      }
    }

    var isUnsignedInteger: Bool {
      switch self {
      case .byte, .short, .long, .directory, .long8, .directory8: true
      case .ascii, .rational, .signedByte, .undefined, .signedShort, .signedLong, .signedLong8,
        .signedRational, .float, .double:
        false
      }
    }
  }

  /// Whether offsets and counts have 8 bytes.
  let isBig: Bool
  /// How many entries it declares.
  let count: Int
  private let entriesOffset: Int
  private let reader: ByteReader

  private var entrySize: Int { isBig ? 20 : 12 }

  /// Reads the number of entries of the directory at an offset from the start of the window.
  init(_ window: ByteReader, at offset: Int, isBig: Bool) throws(ImageError) {
    var reader = window
    try reader.move(toRelative: offset)
    count = try isBig ? reader.length(bytes: 8) : reader.uint16()
    entriesOffset = reader.position
    self.reader = reader
    self.isBig = isBig
  }

  /// Where the next directory is, from the start of the window; 0 for none.
  func nextOffset() throws(ImageError) -> Int {
    var reader = reader
    let (length, overflow) = count.multipliedReportingOverflow(by: entrySize)
    guard !overflow else {
      throw ImageError(.malformed, at: entriesOffset, "A directory has more entries than any file can hold.")
    }
    try reader.skip(length)
    return try reader.length(bytes: isBig ? 8 : 4)
  }

  /// The entry with a number from 0 up to the count.
  func entry(_ index: Int) throws(ImageError) -> Entry {
    var reader = reader
    let (skipped, overflow) = index.multipliedReportingOverflow(by: entrySize)
    guard !overflow else {
      throw ImageError(.malformed, at: entriesOffset, "A directory has more entries than any file can hold.")
    }
    try reader.skip(skipped)
    let offset = reader.position
    let tag = try reader.uint16()
    let type = ValueType(rawValue: try reader.uint16())
    let count = try reader.length(bytes: isBig ? 8 : 4)
    var entry = Entry(offset: offset, tag: tag, type: type, count: count, valueOffset: reader.position)
    if let bytes = entry.byteCount, bytes > (isBig ? 8 : 4) {
      let target = try reader.length(bytes: isBig ? 8 : 4)
      let (absolute, overflow) = reader.start.addingReportingOverflow(target)
      guard !overflow else {
        throw ImageError(.malformed, at: offset, "An offset points out of what contains it.")
      }
      entry.valueOffset = absolute
    }
    return entry
  }

  /// The value with a number from 0 up to the count of the entry, as an unsigned integer.
  func value(_ index: Int, of entry: Entry) throws(ImageError) -> Int {
    guard let type = entry.type, type.isUnsignedInteger, index < entry.count else {
      throw ImageError(.malformed, at: entry.offset, "Tag \(entry.tag) is not a whole number.")
    }
    let (skipped, overflow) = index.multipliedReportingOverflow(by: type.size)
    let (offset, overflow2) = entry.valueOffset.addingReportingOverflow(skipped)
    guard !overflow, !overflow2, let value = Int(exactly: try reader.uint(bytes: type.size, at: offset)) else {
      throw ImageError(.malformed, at: entry.offset, "Tag \(entry.tag) is larger than any file.")
    }
    return value
  }

  /// The first few values of an entry.
  func values(of entry: Entry, atMost limit: Int) throws(ImageError) -> [Int] {
    var values: [Int] = []
    while values.count < min(limit, entry.count) {
      values.append(try value(values.count, of: entry))
    }
    return values
  }
}

extension TIFFDirectory {
  /// The offset of the first directory and the form of the offsets, from the header of a TIFF.
  ///
  /// The reader takes over the byte order the header states.
  static func first(_ reader: inout ByteReader) throws(ImageError) -> (offset: Int, isBig: Bool) {
    let start = reader.position
    switch try reader.uint16() {
    case 0x4949: reader.order = .littleEndian
    case 0x4D4D: reader.order = .bigEndian
    default: throw ImageError(.malformed, at: start, "The byte order is not stated.")
    }
    switch try reader.uint16() {
    case 42: return (try reader.uint32(), false)
    case 43:
      guard try reader.uint16() == 8, try reader.uint16() == 0 else {
        throw ImageError(.malformed, at: start + 4, "Offsets of this size are not defined.")
      }
      return (try reader.length(bytes: 8), true)
    default: throw ImageError(.malformed, at: start + 2, "The version is neither 42 nor 43.")
    }
  }
}
