/// Finds the lines that separate the parts of a multipart body (RFC 2046 §5.1.1).
struct MultipartDelimiter: Sendable {
  /// Which line breaks may stand before and after a boundary.
  enum LineBreak: Sendable {
    /// CR LF alone.
    case network
    /// LF, or CR LF after the boundary.
    case bareLineFeed
  }

  enum Match: Equatable {
    /// No delimiter begins before `before`.
    ///
    /// What stands there may be the beginning of one.
    case absent(before: Int)
    /// A delimiter line.
    case line(Range<Int>, endsBareLineFeed: Bool)
    /// The closing delimiter, without what follows it.
    case closing(Range<Int>)
    /// A boundary begins at `start`, and more blanks than allowed follow it.
    case paddingTooLong(start: Int, at: Int)

    /// Where what was found begins; everything before it is content.
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
  /// The line break and the boundary with its hyphens. Its first byte occurs in it only once, which keeps a search linear:
  /// a comparison that got some way can begin again only after the bytes it saw.
  private let needle: [UInt8]
  /// How far the search may go on when a byte stands under the needle's last one.
  private let skips: [UInt8]

  /// The boundary must be valid, so the needle has at most 74 bytes plus what the limit was raised by.
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

  /// Looks for the first delimiter that begins at `start` or after it.
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

  /// Returns whether the needle, or as much of it as there are bytes, stands at a place.
  private func isNeedle(_ bytes: borrowing Span<UInt8>, at place: Int) -> Bool {
    for offset in 0..<min(needle.count, bytes.count - place) where bytes[place + offset] != needle[offset] {
      return false
    }
    return true
  }

  /// Reads what follows a boundary; nil when the line is not a delimiter after all.
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
