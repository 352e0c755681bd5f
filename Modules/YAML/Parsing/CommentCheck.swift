/// Refuses comments that follow what stands before them without white space (YAML 1.2 §6.6), which libyaml takes.
///
/// Each `#` is looked at once: within an event it is a part of a scalar, between two events it starts a comment.
struct CommentCheck {
  private var source: SourceText
  /// The character index and the offset of the next `#`; beyond all events when there is none.
  private var next = Int.max
  private var nextOffset = 0
  /// The end of the last event.
  private var end = 0

  init(_ source: SourceText) {
    self.source = source
    find(from: 0)
  }

  private mutating func find(from offset: Int) {
    guard let found = source.bytes.firstPlace(of: UInt8(ascii: "#"), from: offset) else {
      next = .max
      return
    }
    nextOffset = found
    next = source.index(of: found)
  }

  /// Moves on to an event that reaches from one character index to another.
  @inline(__always)
  mutating func pass(_ start: Int, _ stop: Int) throws(YAMLError) {
    if next < stop { try look(start, stop) }
    end = stop
  }

  private mutating func look(_ start: Int, _ stop: Int) throws(YAMLError) {
    while next < stop {
      guard next >= end, next < start else {
        find(from: nextOffset + 1)
        continue
      }
      if nextOffset > 0, !source.bytes[nextOffset - 1].isWhite {
        throw tightComment
      }
      find(from: endOfLine)
    }
  }

  /// Moves on over directives, where only that of the version can have no `#` of its own.
  mutating func skip(to index: Int) throws(YAMLError) {
    while next < index {
      var lineStart = nextOffset
      while lineStart > 0, !source.bytes[lineStart - 1].isLineBreak { lineStart -= 1 }
      if source.bytes[lineStart...].starts(with: "%YAML".utf8), !source.bytes[nextOffset - 1].isWhite {
        throw tightComment
      }
      find(from: endOfLine)
    }
    end = index
  }

  /// Where the line of ``nextOffset`` ends: what is left of it is a comment.
  private var endOfLine: Int {
    var place = nextOffset
    while place < source.bytes.count, !source.bytes[place].isLineBreak { place += 1 }
    return place
  }

  /// The comment at ``nextOffset`` has nothing before it.
  private var tightComment: YAMLError {
    YAMLError(
      .syntax, at: SourceText.mark(of: nextOffset, in: source.bytes),
      reason: "white space is missing before the comment")
  }
}

extension UInt8 {
  @inline(__always)
  var isLineBreak: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }

  @inline(__always)
  var isWhite: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || isLineBreak }
}
