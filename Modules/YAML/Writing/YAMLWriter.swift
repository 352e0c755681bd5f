public import FoundationEssentials

/// Writes one value without recursion.
///
/// The open collections are on its own stack.
struct YAMLWriter {
  /// A collection that is being written.
  private struct Frame {
    let value: YAMLValue
    let isFlow: Bool
    /// The column of its entries, in block style.
    let column: Int
    var place = 0
    /// Whether the key of the current entry has been written.
    var isAtValue = false
  }

  let format: YAMLFormat
  var text: [UInt8] = []
  private var frames: [Frame] = []

  static func document(_ value: YAMLValue, _ format: YAMLFormat) -> [UInt8] {
    var writer = YAMLWriter(format: format)
    writer.write(value)
    return writer.text
  }

  private init(format: YAMLFormat) {
    self.format = format
  }

  private mutating func write(_ value: YAMLValue) {
    let start = format.startsDocuments
    if start { put("---") }
    begin(value, at: start ? .afterMarker : .document)
    while let frame = frames.last { frame.isFlow ? continueFlow(frame) : continueBlock(frame) }
    if text.last != UInt8(ascii: "\n") { put("\n") }
  }

  /// The context in which a node starts.
  enum Position {
    /// At the start of a line, with nothing before it.
    case document
    /// After `---`.
    case afterMarker
    /// After `- `, `? ` or `: ` at a column; a collection starts on the same line.
    case compact(column: Int)
    /// After `key:` in a mapping at a column; a collection starts on a new line.
    case member(column: Int)
    /// Inside `[…]` or `{…}`.
    case flow
  }

  /// Writes a scalar or an empty collection, or opens one with entries.
  mutating func begin(_ value: YAMLValue, at position: Position) {
    var needsSpace = false
    switch position {
    case .afterMarker, .member: needsSpace = true
    case .document, .compact, .flow: break
    }
    if let tag = value.tag {
      if needsSpace { put(" ") }
      put(TagText.of(tag))
      needsSpace = true
    }
    let content = value.untagged
    switch content {
    case .sequence(let elements) where !elements.isEmpty:
      open(content, at: position, needsSpace, isTagged: value.tag != nil)
    case .mapping(let mapping) where !mapping.isEmpty:
      open(content, at: position, needsSpace, isTagged: value.tag != nil)
    default:
      if needsSpace { put(" ") }
      scalar(content, at: position)
    }
  }

  private mutating func open(_ value: YAMLValue, at position: Position, _ needsSpace: Bool, isTagged: Bool) {
    let isSequence = if case .sequence = value { true } else { false }
    var isFlow = format.style == .flow
    var column = 0
    var startsLine = true
    switch position {
    case .document: startsLine = isTagged
    case .afterMarker: break
    case .compact(let inner):
      column = inner
      startsLine = isTagged
    case .member(let outer): column = outer + (isSequence ? 2 : format.indentation)
    case .flow: isFlow = true
    }
    if isFlow {
      if needsSpace { put(" ") }
      put(isSequence ? "[" : "{")
    } else if startsLine {
      put("\n")
      indent(column)
    }
    frames.append(Frame(value: value, isFlow: isFlow, column: column))
  }

  /// Writes the next key or value of a collection on one line.
  private mutating func continueFlow(_ frame: Frame) {
    let last = frames.count - 1
    switch frame.value {
    case .sequence(let elements):
      guard frame.place < elements.count else { return close("]") }
      if frame.place > 0 { put(", ") }
      frames[last].place += 1
      begin(elements[frame.place], at: .flow)
    case .mapping(let mapping):
      guard frame.place < mapping.count else { return close("}") }
      let (key, value) = mapping[frame.place]
      if frame.isAtValue {
        put(": ")
        frames[last].isAtValue = false
        frames[last].place += 1
        begin(value, at: .flow)
      } else {
        if frame.place > 0 { put(", ") }
        frames[last].isAtValue = true
        simpleKey(key, at: .flow)
      }
    default: frames.removeLast()
    }
  }

  private mutating func close(_ bracket: StaticString) {
    put(bracket)
    frames.removeLast()
  }

  /// Writes the next line of a block collection, or the next key or value.
  private mutating func continueBlock(_ frame: Frame) {
    let last = frames.count - 1
    let count = frame.value.sequenceValue?.count ?? frame.value.mappingValue?.count ?? 0
    guard frame.place < count else {
      frames.removeLast()
      return
    }
    // The first entry is on the line where the collection starts.
    if frame.place > 0 || frame.isAtValue { beginLine(frame) }
    switch frame.value {
    case .sequence(let elements):
      put("- ")
      frames[last].place += 1
      begin(elements[frame.place], at: .compact(column: frame.column + 2))
    case .mapping(let mapping):
      let (key, value) = mapping[frame.place]
      if frame.isAtValue {
        put(": ")
        frames[last].isAtValue = false
        frames[last].place += 1
        begin(value, at: .compact(column: frame.column + 2))
      } else if isSimple(key) {
        simpleKey(key, at: .compact(column: frame.column))
        put(":")
        frames[last].place += 1
        begin(value, at: .member(column: frame.column))
      } else {
        put("? ")
        frames[last].isAtValue = true
        begin(key, at: .compact(column: frame.column + 2))
      }
    default: break
    }
  }

  private mutating func beginLine(_ frame: Frame) {
    if text.last != UInt8(ascii: "\n") { put("\n") }
    indent(frame.column)
  }

  private mutating func indent(_ column: Int) {
    text.append(contentsOf: repeatElement(UInt8(ascii: " "), count: column))
  }

  mutating func put(_ word: StaticString) {
    word.withUTF8Buffer { text.append(contentsOf: $0) }
  }

  mutating func put(_ word: String) {
    text.append(contentsOf: word.utf8)
  }
}

extension YAMLWriter {
  /// The maximum size in bytes of a key that is written without `?`.
  ///
  /// libyaml searches 1,024 characters for the colon after a key.
  private static let longestSimpleKey = 512

  /// Returns whether a key can be written without a `?`.
  func isSimple(_ key: YAMLValue) -> Bool {
    switch key {
    case .string(let text):
      // An escape writes at most ten bytes for one character.
      text.utf8.count <= Self.longestSimpleKey / 10
        || text.utf8.count <= Self.longestSimpleKey && text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    case .int(let value): value.text.utf8.count <= Self.longestSimpleKey
    case .float(let value): value.text.utf8.count <= Self.longestSimpleKey
    case .null, .bool: true
    case .sequence, .mapping, .tagged: false
    }
  }

  /// Begins a key; writes a `?` before one that is not simple.
  mutating func simpleKey(_ key: YAMLValue, at position: Position) {
    if isSimple(key) {
      scalar(key, at: position, isKey: true)
    } else {
      put("? ")
      begin(key, at: position)
    }
  }
}

/// The layout of YAML text; every layout reads back as the same value.
public struct YAMLFormat: Sendable, Hashable {
  /// The notation of sequences and mappings.
  public enum Style: Sendable, Hashable {
    /// One element or entry per line, indented.
    case block
    /// `[…]` and `{…}` on one line.
    case flow
  }

  /// The notation of sequences and mappings; block by default.
  ///
  /// Empty ones are always `[]` and `{}`.
  public var style: Style

  /// The indentation of an inner mapping's entries, 1 to 9 columns; 2 by default.
  public var indentation: Int {
    get { columns }
    set { columns = min(max(newValue, 1), 9) }
  }
  private var columns = 2

  /// Whether even a single document starts with `---`.
  public var startsDocuments = false

  /// Creates a format.
  public init(_ style: Style = .block) {
    self.style = style
  }

  /// One element or entry per line.
  public static let block = YAMLFormat(.block)

  /// All on one line.
  public static let flow = YAMLFormat(.flow)
}

extension YAMLValue {
  /// Returns the value as YAML text in UTF-8, with a final line feed.
  ///
  /// It reads back as the same value under the core schema and under YAML 1.1's: strings that either schema would
  /// resolve to something else are quoted. Stack use does not grow with the depth.
  public func data(_ format: YAMLFormat = .block) -> Data {
    Data(YAMLWriter.document(self, format))
  }

  /// Returns the value as YAML text; see ``data(_:)``.
  public func text(_ format: YAMLFormat = .block) -> String {
    String(decoding: YAMLWriter.document(self, format), as: UTF8.self)
  }

  /// Returns documents as one YAML stream in UTF-8, each after a line of `---`.
  public static func data(documents: some Sequence<YAMLValue>, _ format: YAMLFormat = .block) -> Data {
    var format = format
    format.startsDocuments = true
    var data = Data()
    for document in documents { data.append(contentsOf: YAMLWriter.document(document, format)) }
    return data
  }
}
