/// Finds the lines that separate the parts of a multipart body (RFC 2046 §5.1.1).
struct MultipartDelimiter: Sendable {
  /// The line breaks that may surround a boundary.
  enum LineBreak: Sendable {
    /// Only CR LF.
    case network
    /// LF; after the boundary also CR LF.
    case bareLineFeed
  }

  enum Match: Equatable {
    /// No delimiter begins before `before`.
    ///
    /// The bytes at `before` may be the beginning of one.
    case absent(before: Int)
    /// A delimiter line.
    case line(Range<Int>, endsBareLineFeed: Bool)
    /// The closing delimiter, without the text after it.
    case closing(Range<Int>)
    /// A boundary at `start` is followed by more blanks than allowed.
    case paddingTooLong(start: Int, at: Int)

    /// The offset at which the match begins; everything before it is content.
    var start: Int {
      switch self {
      case .absent(let before): before
      case .line(let range, _), .closing(let range): range.lowerBound
      case .paddingTooLong(let start, _): start
      }
    }
  }

  let lineBreak: LineBreak
  let paddingLimit: Int
  /// The bytes to search for: the line break, two hyphens and the boundary.
  ///
  /// The first byte occurs only once among them, which keeps the search linear: after a partial match, the search continues
  /// behind the compared bytes.
  private let needle: [UInt8]
  /// How far the search can advance, by the byte under the end of the needle.
  private let skips: [UInt8]

  /// Creates a searcher for a valid boundary.
  ///
  /// The needle has at most 74 bytes, plus the number by which the limit was raised.
  init(boundary: [UInt8], lineBreak: LineBreak, paddingLimit: Int) {
    let needle = (lineBreak == .network ? [0x0D, 0x0A] : [0x0A]) + [0x2D, 0x2D] + boundary
    var skips = [UInt8](repeating: UInt8(clamping: needle.count), count: 256)
    for (place, byte) in needle.dropLast().enumerated() {
      skips[Int(byte)] = UInt8(clamping: needle.count - 1 - place)
    }
    self.needle = needle
    self.skips = skips
    self.lineBreak = lineBreak
    self.paddingLimit = paddingLimit
  }

  /// Returns the first delimiter that begins at `start` or later.
  func find(in bytes: borrowing Span<UInt8>, from start: Int) -> Match {
    let last = needle.count - 1
    var place = start
    while place + last < bytes.count {
      let byte = bytes[place + last]
      if byte == needle[last], isNeedle(bytes, at: place) {
        if let match = line(in: bytes, at: place) { return match }
        place += needle.count
      } else {
        place += Int(skips[Int(byte)])
      }
    }
    while place < bytes.count, !isNeedle(bytes, at: place) { place += 1 }
    return .absent(before: min(place, bytes.count))
  }

  /// Returns whether the needle, or its beginning, is at a place.
  ///
  /// At the end of the bytes, the beginning suffices.
  private func isNeedle(_ bytes: borrowing Span<UInt8>, at place: Int) -> Bool {
    for offset in 0..<min(needle.count, bytes.count - place) where bytes[place + offset] != needle[offset] {
      return false
    }
    return true
  }

  /// Reads the rest of a line after a boundary; nil if it is not a delimiter.
  private func line(in bytes: borrowing Span<UInt8>, at start: Int) -> Match? {
    var end = start + needle.count
    guard end < bytes.count else { return .absent(before: start) }
    if bytes[end] == UInt8(ascii: "-") {
      guard end + 1 < bytes.count else { return .absent(before: start) }
      return bytes[end + 1] == UInt8(ascii: "-") ? .closing(start..<end + 2) : nil
    }
    let padding = end
    while end < bytes.count, FieldSyntax.isWhitespace(bytes[end]) {
      guard end - padding < paddingLimit else { return .paddingTooLong(start: start, at: end) }
      end += 1
    }
    guard end < bytes.count else { return .absent(before: start) }
    if bytes[end] == 0x0A, lineBreak == .bareLineFeed {
      return .line(start..<end + 1, endsBareLineFeed: true)
    }
    guard bytes[end] == 0x0D else { return nil }
    guard end + 1 < bytes.count else { return .absent(before: start) }
    return bytes[end + 1] == 0x0A ? .line(start..<end + 2, endsBareLineFeed: false) : nil
  }
}

/// Checks a boundary against the grammar of RFC 2046 §5.1.1.
enum MultipartBoundary {
  /// Returns the bytes of a boundary that follows the grammar.
  ///
  /// It has 1 to `limit` characters of `bchars` and does not end with a space.
  static func bytes(of boundary: String, limit: Int) throws(MultipartError) -> [UInt8] {
    let bytes = Array(boundary.utf8)
    guard !bytes.isEmpty, bytes.last != UInt8(ascii: " ") else {
      throw MultipartError(.invalidBoundary, at: max(0, bytes.count - 1))
    }
    guard bytes.count <= limit else { throw MultipartError(.invalidBoundary, at: max(0, limit)) }
    for (position, byte) in bytes.enumerated() where !isBoundaryCharacter(byte) {
      throw MultipartError(.invalidBoundary, at: position)
    }
    return bytes
  }

  private static func isBoundaryCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    case 0x20, 0x27...0x29, 0x2B...0x2F, 0x3A, 0x3D, 0x3F, 0x5F: true
    default: false
    }
  }
}
