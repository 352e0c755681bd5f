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
