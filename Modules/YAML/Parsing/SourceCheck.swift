/// Rejects texts that libyaml accepts although YAML 1.2 does not allow them.
struct SourceCheck {
  private var source: SourceText
  private var comments: CommentCheck
  private var keys: KeyIndicatorCheck
  /// The line on which the last event ended.
  private var line = -1
  private var followsOpenDocument = false

  /// The kinds of events, which determine what is examined.
  enum Kind {
    case quoted, block, flowEdge, other
  }

  init(_ source: SourceText) {
    self.source = source
    comments = CommentCheck(source)
    keys = KeyIndicatorCheck(source)
  }

  /// Examines an event and the characters before it.
  ///
  /// - Parameters:
  ///   - indent: The column of the innermost block collection around it; −1 outside of block collections.
  ///   - isInFlow: Whether a flow collection is around it.
  mutating func look(
    at kind: Kind, from start: Mark, to stop: Mark, indent: Int, isInFlow: Bool
  ) throws(YAMLError) {
    if isInFlow, kind != .flowEdge, start.line > line, indent >= 0 { try flowLine(start, stop, indent: indent) }
    try comments.pass(start.index, stop.index)
    try keys.pass(start.index, stop.index, isInFlow: isInFlow)
    line = stop.line
    switch kind {
    case .quoted where stop.line > start.line: try continuationLines(start, stop, indent: indent)
    case .block: try blockScalar(start, stop, indent: indent)
    default: break
    }
  }

  /// Rejects an anchor name with characters that libyaml does not read as part of it.
  ///
  /// libyaml reads letters, digits, hyphens and underscores; in YAML 1.2 (§6.9.2) a name ends only at white space or a
  /// flow indicator. libyaml would end `&an:chor` before the colon and take the rest for a scalar.
  ///
  /// - Parameter start: The start of a node with an anchor, or of an alias.
  mutating func anchor(_ name: String, from start: Mark) throws(YAMLError) {
    let bytes = source.bytes
    var place = source.offset(of: start.index)
    // A tag may come first, with white space and comments in between.
    if place < bytes.count, bytes[place] == UInt8(ascii: "!") {
      while place < bytes.count, !bytes[place].isWhite { place += 1 }
    }
    while place < bytes.count, bytes[place] != UInt8(ascii: "&"), bytes[place] != UInt8(ascii: "*") {
      if bytes[place] == UInt8(ascii: "#") {
        while place < bytes.count, !bytes[place].isLineBreak { place += 1 }
      } else {
        place += 1
      }
    }
    place += 1 + name.utf8.count
    guard place < bytes.count, !bytes[place].isWhite, !",[]{}".utf8.contains(bytes[place]) else { return }
    throw YAMLError(
      .syntax, at: SourceText.mark(of: place, in: bytes),
      reason: "expected white space after an anchor or alias; its name may contain ASCII letters, digits, - and _")
  }

  /// Rejects a tag with an escaped NUL, where its text would end for libyaml's callers.
  ///
  /// - Parameter start: The start of a node with a tag.
  mutating func tag(from start: Mark) throws(YAMLError) {
    let bytes = source.bytes
    var place = source.offset(of: start.index)
    // An anchor may come first, with white space and comments in between.
    if place < bytes.count, bytes[place] == UInt8(ascii: "&") {
      while place < bytes.count, !bytes[place].isWhite { place += 1 }
    }
    while place < bytes.count, bytes[place] != UInt8(ascii: "!") {
      if bytes[place] == UInt8(ascii: "#") {
        while place < bytes.count, !bytes[place].isLineBreak { place += 1 }
      } else {
        place += 1
      }
    }
    // A tag between < and > may contain flow indicators.
    let isVerbatim = place + 1 < bytes.count && bytes[place + 1] == UInt8(ascii: "<")
    var end = place
    while end < bytes.count, !bytes[end].isWhite {
      if isVerbatim ? bytes[end] == UInt8(ascii: ">") : ",[]{}".utf8.contains(bytes[end]) { break }
      end += 1
    }
    try refuseNUL(from: place, to: end)
  }

  /// Rejects an escaped NUL in a range of bytes.
  private func refuseNUL(from start: Int, to end: Int) throws(YAMLError) {
    let bytes = source.bytes
    for place in stride(from: start, to: end - 2, by: 1)
    where bytes[place] == UInt8(ascii: "%") && bytes[place + 1] == UInt8(ascii: "0")
      && bytes[place + 2] == UInt8(ascii: "0")
    {
      throw YAMLError(.tagMismatch, at: SourceText.mark(of: place, in: bytes))
    }
  }

  /// Requires the lines of a flow collection to be indented (YAML 1.2 §6.1).
  ///
  /// The indentation consists of spaces and exceeds that of the block collection around it. A closing bracket is accepted at
  /// any column, because it is often written so.
  private mutating func flowLine(_ start: Mark, _ stop: Mark, indent: Int) throws(YAMLError) {
    // An empty node has no indentation.
    guard start.index < stop.index else { return }
    var place = source.offset(of: start.index - start.column)
    var spaces = 0
    while spaces <= indent, place < source.bytes.count, source.bytes[place] == UInt8(ascii: " ") {
      place += 1
      spaces += 1
    }
    if spaces <= indent {
      throw YAMLError(
        .syntax, at: start,
        reason:
          "expected this line of a flow collection to be indented, with spaces, more than the block collection around it"
      )
    }
  }

  /// Requires the lines of a quoted scalar to be indented (YAML 1.2 §6.3).
  private mutating func continuationLines(_ start: Mark, _ stop: Mark, indent: Int) throws(YAMLError) {
    guard indent >= 0 else { return }
    let bytes = source.bytes
    var place = source.offset(of: start.index)
    let end = source.offset(of: stop.index)
    while place < end {
      guard bytes[place].isLineBreak else {
        place += 1
        continue
      }
      place += 1
      let lineStart = place
      while place < end, bytes[place] == UInt8(ascii: " ") { place += 1 }
      let spaces = place - lineStart
      while place < end, bytes[place] == UInt8(ascii: "\t") { place += 1 }
      if place < end, !bytes[place].isLineBreak, spaces <= indent {
        throw YAMLError(
          .syntax, at: SourceText.mark(of: lineStart + spaces, in: bytes),
          reason: "expected this line of a quoted scalar to be indented more than the collection around it")
      }
    }
  }

  /// Checks the header and the leading empty lines of a block scalar (YAML 1.2 §8.1).
  ///
  /// The header must end with white space or at its line's end, and no leading empty line may be indented more than the
  /// first line with content.
  private mutating func blockScalar(_ start: Mark, _ stop: Mark, indent: Int) throws(YAMLError) {
    let bytes = source.bytes
    var place = source.offset(of: start.index)
    let end = source.offset(of: stop.index)
    // Tag and anchor come first; neither can contain a space.
    while place < end, bytes[place] != UInt8(ascii: "|"), bytes[place] != UInt8(ascii: ">") {
      while place < end, !bytes[place].isWhite { place += 1 }
      while place < end, bytes[place].isWhite { place += 1 }
    }
    place += 1
    while place < end, !bytes[place].isWhite {
      if bytes[place] == UInt8(ascii: "#") {
        throw YAMLError(
          .syntax, at: SourceText.mark(of: place, in: bytes), reason: "expected white space before the # of a comment")
      }
      // An indentation indicator states the indentation, so the lines are not needed to detect it.
      if bytes[place].isDigit { return }
      place += 1
    }
    while place < end, !bytes[place].isLineBreak { place += 1 }
    var most = 0
    while place < bytes.count {
      while place < bytes.count, bytes[place].isLineBreak { place += 1 }
      let lineStart = place
      while place < bytes.count, bytes[place] == UInt8(ascii: " ") { place += 1 }
      let spaces = place - lineStart
      guard place < bytes.count, bytes[place].isLineBreak else {
        // After an empty scalar, the next line matters only if it is indented like content; otherwise it can be a comment.
        if most > spaces, place < end || indent >= 0 && spaces > indent, place < bytes.count {
          throw YAMLError(
            .syntax, at: SourceText.mark(of: place, in: bytes),
            reason: "an empty line before this one has more spaces than this line's indentation"
          )
        }
        return
      }
      most = max(most, spaces)
    }
  }

  /// Requires `...` before the directives of a further document (YAML 1.2 §9.2).
  mutating func document(hasDirectives: Bool, from start: Mark, to stop: Mark) throws(YAMLError) {
    if hasDirectives, followsOpenDocument {
      throw YAMLError(.syntax, at: start, reason: "expected a line of ... before the directives of a further document")
    }
    if hasDirectives { try refuseNUL(from: source.offset(of: start.index), to: source.offset(of: stop.index)) }
    try comments.skip(to: stop.index)
    try keys.pass(stop.index, stop.index, isInFlow: false)
    line = -1
  }

  /// Examines the text between a document's last node and its end.
  mutating func documentEnd(isImplicit: Bool, from start: Mark, to stop: Mark) throws(YAMLError) {
    try comments.pass(start.index, stop.index)
    try keys.pass(start.index, stop.index, isInFlow: false)
    followsOpenDocument = isImplicit
  }
}

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

/// Rejects a `?` in a flow collection that is not followed by white space.
///
/// libyaml takes every such `?` for the indicator of an explicit key, so `[?x]` would contain a mapping. In YAML 1.2
/// (§7.4.2, §7.3.3) only a `?` before white space is an indicator; any other begins a plain scalar. Each `?` is
/// examined once: inside an event it is part of a scalar, and between two events it is an indicator.
struct KeyIndicatorCheck {
  private var indicator: CharacterSearch
  /// The end of the last event.
  private var end = 0

  init(_ source: SourceText) { indicator = CharacterSearch(UInt8(ascii: "?"), in: source) }

  /// Checks the indicators before an event, and moves past the event.
  mutating func pass(_ start: Int, _ stop: Int, isInFlow: Bool) throws(YAMLError) {
    if indicator.index < stop { try look(start, stop, isInFlow) }
    end = stop
  }

  private mutating func look(_ start: Int, _ stop: Int, _ isInFlow: Bool) throws(YAMLError) {
    while indicator.index < stop {
      // In a flow sequence, the event of the pair's mapping starts at the indicator.
      if isInFlow, indicator.index >= end, indicator.index <= start, !isFollowedByWhiteSpace, !isInComment {
        throw indicator.error("expected white space after ? in a flow collection")
      }
      indicator.advance()
    }
  }

  private var isFollowedByWhiteSpace: Bool {
    let next = indicator.offset + 1
    return next >= indicator.source.bytes.count || indicator.source.bytes[next].isWhite
  }

  /// Whether a comment has begun between the last event and the indicator.
  private var isInComment: Bool {
    mutating get {
      let start = indicator.source.offset(of: end)
      let bytes = indicator.source.bytes
      var place = indicator.offset
      while place > start, !bytes[place - 1].isLineBreak {
        place -= 1
        if bytes[place] == UInt8(ascii: "#") { return true }
      }
      return false
    }
  }
}

/// Finds the occurrences of one ASCII character in a text, one after the other.
struct CharacterSearch {
  var source: SourceText
  private let character: UInt8
  /// The character index of the current occurrence; `Int.max` after the last one.
  private(set) var index = Int.max
  /// The byte offset of the current occurrence.
  private(set) var offset = 0

  /// Moves to the first occurrence.
  init(_ character: UInt8, in source: SourceText) {
    self.source = source
    self.character = character
    find(from: 0)
  }

  /// Moves to the first occurrence from a byte offset on.
  mutating func find(from start: Int) {
    guard let found = source.bytes.firstPlace(of: character, from: start) else {
      index = .max
      return
    }
    offset = found
    index = source.index(of: found)
  }

  /// Moves to the next occurrence.
  mutating func advance() { find(from: offset + 1) }

  /// Returns a syntax error at the current occurrence.
  func error(_ reason: String) -> YAMLError {
    YAMLError(.syntax, at: SourceText.mark(of: offset, in: source.bytes), reason: reason)
  }
}
