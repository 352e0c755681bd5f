import CLibyaml

/// Makes values of libyaml's events, without recursion.
struct DocumentComposer {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  /// A collection that has begun.
  struct Frame {
    let isMapping: Bool
    let isFlow: Bool
    /// Where its values start among all open ones.
    let start: Int
    /// The column of the innermost block collection, this one included; −1 when there is none.
    let indent: Int
    /// How many nodes there were before it.
    let nodesBefore: Int
    let begin: Mark
    let anchor: (name: String, serial: Int)?
    let tag: String?
    /// How many collections are within each other in it.
    var height = 1
    var hasMerges = false
  }

  let events: EventReader
  let options: YAMLParsingOptions
  private let isShielded: Bool
  var check: SourceCheck
  private var anchors = Anchors()
  private var aliases = 0
  /// Nodes of this document, aliases followed.
  private var nodes = 0
  private var expandedNodes = 0
  private var frames: [Frame] = []
  /// What is within open collections; keys and values of mappings take turns.
  var values: [YAMLValue] = []
  /// The places of the keys among ``values``.
  var keyMarks: [Mark] = []
  /// The places in ``values`` of `<<` keys that merge.
  var merges: [Int] = []

  init(_ bytes: Bytes, isASCII: Bool, isShielded: Bool, options: YAMLParsingOptions) throws(YAMLError) {
    self.options = options
    self.isShielded = isShielded
    check = SourceCheck(SourceText(bytes, isASCII: isASCII))
    events = try EventReader(bytes)
    try events.advance()
  }

  /// The place of the last event.
  var mark: Mark { Mark(events.event.pointee.start_mark) }

  /// The next document, nil at the end of the text.
  mutating func next() throws(YAMLError) -> YAMLValue? {
    guard try beginDocument() else { return nil }
    anchors.removeAll()
    nodes = 0
    values.removeAll(keepingCapacity: true)
    keyMarks.removeAll(keepingCapacity: true)
    repeat { try step() } while !frames.isEmpty
    try events.advance()
    check.documentEnd(isImplicit: events.event.pointee.data.document_end.implicit != 0)
    return values.popLast()
  }

  /// Moves to the start of a document; false when there is none left.
  mutating func beginDocument() throws(YAMLError) -> Bool {
    try events.advance()
    guard events.event.pointee.type == YAML_DOCUMENT_START_EVENT else { return false }
    let start = events.event.pointee.data.document_start
    let hasDirectives = start.version_directive != nil || start.tag_directives.start != start.tag_directives.end
    try check.document(hasDirectives: hasDirectives, from: mark, to: Mark(events.event.pointee.end_mark))
    return true
  }

  /// Takes one event of a document's content.
  @inline(__always)
  private mutating func step() throws(YAMLError) {
    try events.advance()
    switch events.event.pointee.type {
    case YAML_SCALAR_EVENT: try scalar()
    case YAML_SEQUENCE_START_EVENT:
      let start = events.event.pointee.data.sequence_start
      try begin(
        isMapping: false, isFlow: start.style == YAML_FLOW_SEQUENCE_STYLE, anchor: start.anchor, tag: start.tag)
    case YAML_MAPPING_START_EVENT:
      let start = events.event.pointee.data.mapping_start
      try begin(
        isMapping: true, isFlow: start.style == YAML_FLOW_MAPPING_STYLE, anchor: start.anchor, tag: start.tag)
    case YAML_ALIAS_EVENT: try alias()
    default: try end()
    }
  }

  private var isInFlow: Bool { frames.last?.isFlow ?? false }
  private var indent: Int { frames.last?.indent ?? -1 }

  /// Adds a finished node to the collection around it.
  @inline(__always)
  private mutating func add(_ value: YAMLValue, at mark: Mark) {
    if let frame = frames.last, frame.isMapping, (values.count - frame.start) & 1 == 0 { keyMarks.append(mark) }
    values.append(value)
  }

  // MARK: Scalars

  private mutating func scalar() throws(YAMLError) {
    let event = events.event
    let scalar = event.pointee.data.scalar
    let start = Mark(event.pointee.start_mark)
    nodes += 1
    let bytes = Bytes(start: scalar.value, count: scalar.length)
    let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
    let kind: SourceCheck.Kind =
      isPlain
      ? .other
      : scalar.style == YAML_LITERAL_SCALAR_STYLE || scalar.style == YAML_FOLDED_SCALAR_STYLE ? .block : .quoted
    try check.look(at: kind, from: start, to: Mark(event.pointee.end_mark), indent: indent, isInFlow: isInFlow)
    let value: YAMLValue
    if let tag = scalar.tag {
      value = try tagged(String(cString: tag), bytes, isPlain: isPlain, at: start)
    } else if isPlain {
      noteMerge(bytes)
      value = try plain(bytes, at: start)
    } else {
      value = .string(text(bytes))
    }
    if let anchor = scalar.anchor {
      let name = String(cString: anchor)
      anchors.close(name, anchors.open(name), Anchors.Node(value: value, nodes: 1, height: 0))
    }
    add(value, at: start)
  }

  @inline(__always)
  private mutating func plain(_ bytes: Bytes, at mark: Mark) throws(YAMLError) -> YAMLValue {
    let resolved: YAMLValue?
    do throws(ScalarResolver.NumberTooLong) {
      resolved = try ScalarResolver.value(bytes, schema: options.schema, numberLimit: options.maximumNumberBytes)
    } catch {
      throw YAMLError(.numberTooLong, at: mark)
    }
    return resolved ?? .string(text(bytes))
  }

  private mutating func tagged(
    _ tag: String, _ bytes: Bytes, isPlain: Bool, at mark: Mark
  ) throws(YAMLError) -> YAMLValue {
    do throws(TagResolver.Failure) {
      let known = try TagResolver.scalar(
        tag, bytes, text: { text(bytes) }, schema: options.schema, numberLimit: options.maximumNumberBytes)
      if let known { return known }
    } catch {
      throw YAMLError(error == .numberTooLong ? .numberTooLong : .tagMismatch, at: mark)
    }
    // What an unknown tag stands before keeps its kind, so that it is written as it was read.
    let value = isPlain ? try plain(bytes, at: mark) : .string(text(bytes))
    guard let tagged = YAMLTagged(tag, value) else { throw YAMLError(.tagMismatch, at: mark) }
    return .tagged(tagged)
  }

  private func text(_ bytes: Bytes) -> String {
    isShielded ? LineBreakShield.restoring(bytes) : String(decoding: bytes, as: UTF8.self)
  }

  /// Remembers a plain `<<` in the place of a key.
  @inline(__always)
  private mutating func noteMerge(_ bytes: Bytes) {
    guard bytes.count == 2, bytes[0] == UInt8(ascii: "<"), bytes[1] == UInt8(ascii: "<"), options.mergesKeys,
      let frame = frames.last, frame.isMapping, (values.count - frame.start) & 1 == 0
    else { return }
    merges.append(values.count)
    frames[frames.count - 1].hasMerges = true
  }

  // MARK: Collections

  private mutating func begin(
    isMapping: Bool, isFlow: Bool, anchor: UnsafeMutablePointer<UInt8>?, tag: UnsafeMutablePointer<UInt8>?
  ) throws(YAMLError) {
    let start = mark
    nodes += 1
    try check.look(
      at: isFlow ? .flowEdge : .other, from: start, to: Mark(events.event.pointee.end_mark), indent: indent,
      isInFlow: isInFlow)
    guard frames.count < options.maximumDepth else { throw YAMLError(.tooDeep, at: start) }
    // The mark of a block collection with an anchor or a tag is theirs, which says nothing of its indentation.
    let indent = isFlow || anchor != nil || tag != nil ? indent : start.column
    let name = anchor.map { String(cString: $0) }
    if let frame = frames.last, frame.isMapping, (values.count - frame.start) & 1 == 0 { keyMarks.append(start) }
    frames.append(
      Frame(
        isMapping: isMapping, isFlow: isFlow, start: values.count, indent: indent, nodesBefore: nodes - 1, begin: start,
        anchor: name.map { ($0, anchors.open($0)) }, tag: tag.map { String(cString: $0) }))
  }

  private mutating func end() throws(YAMLError) {
    guard let frame = frames.popLast() else { return }
    let event = events.event
    try check.look(
      at: frame.isFlow ? .flowEdge : .other, from: Mark(event.pointee.start_mark),
      to: Mark(event.pointee.end_mark), indent: indent, isInFlow: frame.isFlow)
    var value: YAMLValue
    if frame.isMapping {
      value = .mapping(try closeMapping(frame))
    } else {
      value = .sequence(Array(values[frame.start...]))
      values.removeLast(values.count - frame.start)
    }
    if let tag = frame.tag {
      do throws(TagResolver.Failure) {
        value = try TagResolver.collection(tag, value)
      } catch {
        throw YAMLError(.tagMismatch, at: frame.begin)
      }
    }
    if let (name, serial) = frame.anchor {
      anchors.close(name, serial, Anchors.Node(value: value, nodes: nodes - frame.nodesBefore, height: frame.height))
    }
    if !frames.isEmpty {
      frames[frames.count - 1].height = max(frames[frames.count - 1].height, frame.height + 1)
    }
    values.append(value)
  }

  // MARK: Aliases

  private mutating func alias() throws(YAMLError) {
    let event = events.event
    let start = mark
    try check.look(
      at: .other, from: start, to: Mark(event.pointee.end_mark), indent: indent, isInFlow: isInFlow)
    aliases += 1
    guard aliases <= options.maximumAliases else { throw YAMLError(.tooManyAliases, at: start) }
    let name = event.pointee.data.alias.anchor.map { String(cString: $0) } ?? ""
    let node: Anchors.Node
    do throws(Anchors.Failure) {
      node = try anchors.node(name)
    } catch {
      throw YAMLError(error == .open ? .recursiveAlias : .unknownAnchor, at: start)
    }
    try expand(by: node.nodes, at: start)
    guard frames.count + node.height <= options.maximumDepth else { throw YAMLError(.tooDeep, at: start) }
    nodes += node.nodes
    if !frames.isEmpty {
      frames[frames.count - 1].height = max(frames[frames.count - 1].height, node.height + 1)
    }
    add(node.value, at: start)
  }

  /// Counts nodes that stand in the value and not in the text.
  mutating func expand(by count: Int, at mark: Mark) throws(YAMLError) {
    expandedNodes += count
    guard expandedNodes <= options.maximumExpandedNodes else { throw YAMLError(.tooManyExpandedNodes, at: mark) }
  }
}
