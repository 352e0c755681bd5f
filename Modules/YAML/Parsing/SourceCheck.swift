/// What YAML 1.2 refuses and libyaml takes, found in the text around its events.
struct SourceCheck {
  private var source: SourceText
  private var comments: CommentCheck
  /// The line on which the last event ended.
  private var line = -1
  private var followsOpenDocument = false

  /// How an event is to be looked at.
  enum Kind {
    case quoted, block, flowEdge, other
  }

  init(_ source: SourceText) {
    self.source = source
    comments = CommentCheck(source)
  }

  /// Looks at an event and the characters before it.
  ///
  /// - Parameters:
  ///   - indent: The column of the innermost block collection around it, −1 when there is none.
  ///   - isInFlow: Whether a flow collection is around it.
  @inline(__always)
  mutating func look(
    at kind: Kind, from start: Mark, to stop: Mark, indent: Int, isInFlow: Bool
  ) throws(YAMLError) {
    if isInFlow, kind != .flowEdge, start.line > line, indent >= 0 { try flowLine(start, stop, indent: indent) }
    try comments.pass(start.index, stop.index)
    line = stop.line
    switch kind {
    case .quoted where stop.line > start.line: try continuationLines(start, stop, indent: indent)
    case .block: try blockScalar(start, stop, indent: indent)
    default: break
    }
  }

  /// The lines of a flow collection are indented more than the block collection around it, by spaces (YAML 1.2 §6.1).
  ///
  /// A bracket that ends a collection is taken where people put it.
  private mutating func flowLine(_ start: Mark, _ stop: Mark, indent: Int) throws(YAMLError) {
    // Nothing written has no indentation.
    guard start.index < stop.index else { return }
    var place = source.offset(of: start.index - start.column)
    var spaces = 0
    while spaces <= indent, place < source.bytes.count, source.bytes[place] == UInt8(ascii: " ") {
      place += 1
      spaces += 1
    }
    if spaces <= indent {
      throw YAMLError(.syntax, at: start, reason: "this line of a flow collection is not indented enough")
    }
  }

  /// The lines of a quoted scalar are indented more than the collection around it (YAML 1.2 §6.3).
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
          reason: "this line of a quoted scalar is not indented enough")
      }
    }
  }

  /// A block scalar's header ends with white space or its line, and no empty line before the first that is not is
  /// indented more than that one (YAML 1.2 §8.1).
  private mutating func blockScalar(_ start: Mark, _ stop: Mark, indent: Int) throws(YAMLError) {
    let bytes = source.bytes
    var place = source.offset(of: start.index)
    let end = source.offset(of: stop.index)
    // Tag and anchor come first; neither can hold a space.
    while place < end, bytes[place] != UInt8(ascii: "|"), bytes[place] != UInt8(ascii: ">") {
      while place < end, !bytes[place].isWhite { place += 1 }
      while place < end, bytes[place].isWhite { place += 1 }
    }
    place += 1
    while place < end, !bytes[place].isWhite {
      if bytes[place] == UInt8(ascii: "#") {
        throw YAMLError(
          .syntax, at: SourceText.mark(of: place, in: bytes), reason: "white space is missing before the comment")
      }
      // With the indentation written there is none to be found.
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
        // A line behind a scalar without content counts when it is indented like content, as a comment can be.
        if most > spaces, place < end || indent >= 0 && spaces > indent, place < bytes.count {
          throw YAMLError(
            .syntax, at: SourceText.mark(of: place, in: bytes), reason: "an empty line before this one is indented more"
          )
        }
        return
      }
      most = max(most, spaces)
    }
  }

  /// Directives after a document need its end marker (YAML 1.2 §9.2).
  mutating func document(hasDirectives: Bool, from start: Mark, to stop: Mark) throws(YAMLError) {
    if hasDirectives, followsOpenDocument {
      throw YAMLError(.syntax, at: start, reason: "a line of '...' is missing before the directives")
    }
    try comments.skip(to: stop.index)
    line = -1
  }

  /// Looks at what stands behind a document's last node, too.
  mutating func documentEnd(isImplicit: Bool, from start: Mark, to stop: Mark) throws(YAMLError) {
    try comments.pass(start.index, stop.index)
    followsOpenDocument = isImplicit
  }
}
