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
