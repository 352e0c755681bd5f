/// The parsed text, which converts between character indices and byte offsets.
///
/// It is UTF-8 without a byte order mark.
struct SourceText {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  let bytes: Bytes
  private let isASCII: Bool

  /// The index of the last requested character; the next one is usually near.
  private var character = 0
  private var byte = 0

  init(_ bytes: Bytes, isASCII: Bool) {
    self.bytes = bytes
    self.isASCII = isASCII
  }

  /// Returns the byte offset of a character; the text's end for a larger index.
  mutating func offset(of index: Int) -> Int {
    isASCII ? min(index, bytes.count) : move(to: index)
  }

  private mutating func move(to index: Int) -> Int {
    let raw = UnsafeRawBufferPointer(bytes)
    while character < index, byte < raw.count {
      // A run of ASCII is skipped at once.
      let run = raw.asciiRun(from: byte, upTo: byte + min(index - character, raw.count - byte))
      byte += run
      character += run
      guard character < index, byte < raw.count else { break }
      byte += 1
      while byte < raw.count, raw[byte] & 0xC0 == 0x80 { byte += 1 }
      character += 1
    }
    while character > index, byte > 0 {
      byte -= 1
      while byte > 0, raw[byte] & 0xC0 == 0x80 { byte -= 1 }
      character -= 1
    }
    return byte
  }

  /// Returns the index of the character that starts at `offset`.
  ///
  /// `offset` must not be before the previous one.
  mutating func index(of offset: Int) -> Int {
    if isASCII { return offset }
    while byte < offset { _ = move(to: character + max(1, (offset - byte) / 4)) }
    return character
  }

  /// Returns the line and column of a byte.
  static func mark(of offset: Int, in bytes: Bytes) -> Mark {
    var mark = Mark()
    var place = 0
    let offset = min(max(offset, 0), bytes.count)
    while place < offset {
      let byte = bytes[place]
      place += 1
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        if byte == UInt8(ascii: "\r"), place < offset, bytes[place] == UInt8(ascii: "\n") { place += 1 }
        mark.line += 1
        mark.column = 0
      } else if byte & 0xC0 != 0x80 {
        mark.column += 1
      }
    }
    return mark
  }

  /// Returns whether the text has more than `limit` lines of `%TAG`.
  ///
  /// libyaml compares each of them with all earlier ones.
  static func hasTagDirectives(beyond limit: Int, _ bytes: Bytes) -> Bool {
    let directive = Array("%TAG".utf8)
    var count = 0
    var place = 0
    while let found = bytes.firstPlace(of: directive, from: place) {
      if found == 0 || bytes[found - 1] == UInt8(ascii: "\n") || bytes[found - 1] == UInt8(ascii: "\r") { count += 1 }
      if count > limit { return true }
      place = found + directive.count
    }
    return false
  }
}
