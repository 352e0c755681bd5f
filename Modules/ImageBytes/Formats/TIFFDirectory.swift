/// One image file directory: a list of tagged values (TIFF 6.0 §2, BigTIFF).
struct TIFFDirectory {
  /// One tag with its values.
  struct Entry {
    var offset: Int
    var tag: Int
    var type: ValueType?
    var count: Int
    /// The offset of the values: in the entry if they fit, else where it points.
    var valueOffset: Int

    /// The size of the values in bytes; nil for an unknown type or an impossible size.
    var byteCount: Int? {
      guard let type else { return nil }
      let (bytes, overflow) = count.multipliedReportingOverflow(by: type.size)
      return overflow ? nil : bytes
    }
  }

  /// The types of values (TIFF 6.0 p. 15).
  ///
  /// Type 13 is from TIFF technical note 1; types 16 to 18 are from BigTIFF.
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
  /// The number of entries that it declares.
  let count: Int
  private let entriesOffset: Int
  private let reader: ByteReader

  private var entrySize: Int { isBig ? 20 : 12 }

  /// Reads the entry count of the directory at an offset from the window's start.
  init(_ window: ByteReader, at offset: Int, isBig: Bool) throws(ImageError) {
    var reader = window
    try reader.move(toRelative: offset)
    count = try isBig ? reader.length(bytes: 8) : reader.uint16()
    entriesOffset = reader.position
    self.reader = reader
    self.isBig = isBig
  }

  /// Returns the offset of the next directory, from the window's start; 0 for none.
  func nextOffset() throws(ImageError) -> Int {
    var reader = reader
    let (length, overflow) = count.multipliedReportingOverflow(by: entrySize)
    guard !overflow else {
      throw ImageError(.malformed, at: entriesOffset, "A directory has more entries than any file can hold.")
    }
    try reader.skip(length)
    return try reader.length(bytes: isBig ? 8 : 4)
  }

  /// Returns the entry at an index.
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
        throw ImageError(.malformed, at: offset, "An offset points outside its container.")
      }
      entry.valueOffset = absolute
    }
    return entry
  }

  /// Returns the value of an entry at an index, as an unsigned integer.
  func value(_ index: Int, of entry: Entry) throws(ImageError) -> Int {
    guard let type = entry.type, type.isUnsignedInteger, index < entry.count else {
      throw ImageError(.malformed, at: entry.offset, "Tag \(entry.tag) is not an unsigned integer.")
    }
    let (skipped, overflow) = index.multipliedReportingOverflow(by: type.size)
    let (offset, overflow2) = entry.valueOffset.addingReportingOverflow(skipped)
    guard !overflow, !overflow2, let value = Int(exactly: try reader.uint(bytes: type.size, at: offset)) else {
      throw ImageError(.malformed, at: entry.offset, "Tag \(entry.tag) is larger than any file.")
    }
    return value
  }

  /// Returns the first few values of an entry.
  func values(of entry: Entry, atMost limit: Int) throws(ImageError) -> [Int] {
    var values: [Int] = []
    while values.count < min(limit, entry.count) {
      values.append(try value(values.count, of: entry))
    }
    return values
  }
}

extension TIFFDirectory {
  /// Returns the offset of the first directory, and whether offsets have 8 bytes.
  ///
  /// The reader adopts the byte order in the header.
  static func first(_ reader: inout ByteReader) throws(ImageError) -> (offset: Int, isBig: Bool) {
    let start = reader.position
    switch try reader.uint16() {
    case 0x4949: reader.order = .littleEndian
    case 0x4D4D: reader.order = .bigEndian
    default: throw ImageError(.malformed, at: start, "The header states no byte order; expected II or MM.")
    }
    switch try reader.uint16() {
    case 42: return (try reader.uint32(), false)
    case 43:
      guard try reader.uint16() == 8, try reader.uint16() == 0 else {
        throw ImageError(.malformed, at: start + 4, "Expected offsets of 8 bytes, followed by two zero bytes.")
      }
      return (try reader.length(bytes: 8), true)
    default: throw ImageError(.malformed, at: start + 2, "The version must be 42 or 43.")
    }
  }
}
