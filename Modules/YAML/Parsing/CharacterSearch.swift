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
