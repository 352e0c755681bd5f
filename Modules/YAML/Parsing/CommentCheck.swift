/// Rejects comments that libyaml accepts without white space before them.
///
/// YAML 1.2 requires white space there (§6.6). Each `#` is examined once: inside an event it is part of a scalar, and
/// between two events it starts a comment.
struct CommentCheck {
  private var sign: CharacterSearch
  /// The end of the last event.
  private var end = 0

  init(_ source: SourceText) { sign = CharacterSearch(UInt8(ascii: "#"), in: source) }

  /// Checks the comments before an event, and moves past the event.
  mutating func pass(_ start: Int, _ stop: Int) throws(YAMLError) {
    if sign.index < stop { try look(start, stop) }
    end = stop
  }

  private mutating func look(_ start: Int, _ stop: Int) throws(YAMLError) {
    while sign.index < stop {
      guard sign.index >= end, sign.index < start else {
        sign.advance()
        continue
      }
      if sign.offset > 0, !sign.source.bytes[sign.offset - 1].isWhite { throw tightComment }
      sign.find(from: endOfLine)
    }
  }

  /// Checks the comments of directives, and moves past the directives.
  ///
  /// In a `%YAML` directive every `#` starts a comment; in a `%TAG` directive it can be part of a URI.
  mutating func skip(to index: Int) throws(YAMLError) {
    let bytes = sign.source.bytes
    while sign.index < index {
      var lineStart = sign.offset
      while lineStart > 0, !bytes[lineStart - 1].isLineBreak { lineStart -= 1 }
      if bytes[lineStart...].starts(with: "%YAML".utf8), !bytes[sign.offset - 1].isWhite { throw tightComment }
      sign.find(from: endOfLine)
    }
    end = index
  }

  /// The end of the current line; everything up to it is comment.
  private var endOfLine: Int {
    var place = sign.offset
    while place < sign.source.bytes.count, !sign.source.bytes[place].isLineBreak { place += 1 }
    return place
  }

  /// The error for a comment without white space before its `#`.
  private var tightComment: YAMLError { sign.error("expected white space before the # of a comment") }
}

extension UInt8 {
  var isLineBreak: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }

  var isWhite: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || isLineBreak }
}
