import Glibc

extension UInt8 {
  /// Whether the byte is white space (XML 1.0, production 3).
  var isXMLSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

/// The code units of a document before it is decoded.
///
/// The first bytes determine their form (XML 1.0 appendix F.1).
struct CodeUnits {
  /// How the encoding represents ASCII characters.
  enum Form: Equatable {
    /// One byte each, as in UTF-8 and every encoding that extends ASCII.
    case bytes
    /// Two bytes, as in UTF-16.
    case pairs(bigEndian: Bool)
    /// Four bytes, as in UCS-4.
    case quads(bigEndian: Bool)
    /// One byte with another value.
    case ebcdic

    var width: Int {
      switch self {
      case .bytes, .ebcdic: 1
      case .pairs: 2
      case .quads: 4
      }
    }

    /// Returns the unit of an ASCII character; nil if encodings of this form differ.
    func unit(of character: UInt8) -> UInt32? {
      guard self == .ebcdic else { return UInt32(character) }
      return switch character {
      case UInt8(ascii: "<"): 0x4C
      case UInt8(ascii: ">"): 0x6E
      case UInt8(ascii: "-"): 0x60
      default: nil
      }
    }
  }

  let bytes: UnsafeRawBufferPointer
  let form: Form
  /// Whether the document begins with a byte order mark.
  let isMarked: Bool

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    (form, isMarked) = Self.form(bytes)
  }

  /// Creates a view of bytes whose form is known.
  init(_ bytes: UnsafeRawBufferPointer, _ form: Form) {
    self.bytes = bytes
    self.form = form
    isMarked = false
  }

  private static func form(_ bytes: UnsafeRawBufferPointer) -> (Form, Bool) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.bytes, true) }
    if bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return (.quads(bigEndian: false), true) }
    if bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return (.quads(bigEndian: true), true) }
    if bytes.starts(with: [0xFF, 0xFE]) { return (.pairs(bigEndian: false), true) }
    if bytes.starts(with: [0xFE, 0xFF]) { return (.pairs(bigEndian: true), true) }
    if bytes.starts(with: [0x3C, 0, 0, 0]) { return (.quads(bigEndian: false), false) }
    if bytes.starts(with: [0, 0, 0, 0x3C]) { return (.quads(bigEndian: true), false) }
    if bytes.starts(with: [0x3C, 0]) { return (.pairs(bigEndian: false), false) }
    if bytes.starts(with: [0, 0x3C]) { return (.pairs(bigEndian: true), false) }
    if bytes.starts(with: [0x4C, 0x6F, 0xA7, 0x94]) { return (.ebcdic, false) }
    return (.bytes, false)
  }

  /// The number of complete units.
  var count: Int { bytes.count / form.width }

  /// Whether the document contains only white space.
  var isBlank: Bool { bytes.allSatisfy(\.isXMLSpace) }

  /// Whether the bytes end in the middle of a unit.
  var isCut: Bool { bytes.count % form.width != 0 }

  /// The unit at an index; nil after the last one.
  subscript(index: Int) -> UInt32? {
    guard index >= 0, index < count else { return nil }
    switch form {
    case .bytes, .ebcdic: return UInt32(bytes[index])
    case .pairs(let bigEndian):
      let unit = bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)
      return UInt32(bigEndian ? UInt16(bigEndian: unit) : UInt16(littleEndian: unit))
    case .quads(let bigEndian):
      let unit = bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)
      return bigEndian ? UInt32(bigEndian: unit) : UInt32(littleEndian: unit)
    }
  }

  /// The index of the first U+0000; nil if the document has none.
  ///
  /// libxml2 would take it for the end of the document.
  var firstNUL: Int? {
    if form.width == 1 {
      guard let start = bytes.baseAddress, let found = memchr(start, 0, bytes.count) else { return nil }
      return UnsafeRawPointer(found) - start
    }
    return (0..<count).first { self[$0] == 0 }
  }

  /// Returns where an ASCII character next occurs; nil if it does not.
  func index(of character: UInt8, from index: Int) -> Int? {
    guard index >= 0, index < count, let unit = form.unit(of: character) else { return nil }
    if form.width == 1 {
      guard let start = bytes.baseAddress, let found = memchr(start + index, Int32(unit), count - index) else {
        return nil
      }
      return UnsafeRawPointer(found) - start
    }
    return (index..<count).first { self[$0] == unit }
  }

  /// Returns the line and column of a unit.
  func position(of index: Int) -> SourcePosition {
    guard form.width > 1 || form == .ebcdic else { return SourcePosition(offset: index, in: bytes) }
    var position = SourcePosition()
    for index in (isMarked ? 1 : 0)..<max(isMarked ? 1 : 0, min(index, count)) {
      position.column += 1
      if self[index] == 0x0A { position = SourcePosition(line: position.line + 1) }
    }
    return position
  }
}
