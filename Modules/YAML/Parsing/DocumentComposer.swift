import CLibyaml
import CurlewCore
import Glibc

/// Composes values from libyaml's events, without recursion.
struct DocumentComposer: ~Copyable {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  /// An open collection; it holds no references, so that copies are cheap.
  struct Frame {
    var isMapping = false
    var isFlow = false
    /// Whether its anchor or tag is on the stack of properties.
    var hasProperties = false
    var hasMerges = false
    /// The index of its first value among those of all open collections.
    var start = 0
    /// The column of the innermost block collection, including this one; −1 if none.
    var indent = -1
    /// The numbers of nodes, and of bytes of scalars and tags, that precede it.
    var nodesBefore = 0
    var bytesBefore = 0
    /// The deepest nesting of collections in it.
    var height = 1
    var begin = Mark()
  }

  /// The anchor and tag before a node.
  private struct Properties {
    var anchor: (name: String, serial: Int)?
    var tag: String?
  }

  /// The open flow collections that libyaml may look at in all: so many, and so many more for each byte of the text.
  private static let (leastFlowSteps, flowStepsPerByte) = (50_000_000, 64)

  /// The most nodes, and bytes, that aliases and merges may add whatever the options allow.
  private static let most = Int.max / 4

  let events: EventReader
  let options: YAMLParsingOptions
  /// Whether scalars may contain stand-ins of a ``PreparedText``.
  private let hasStandIns: Bool
  private var check: SourceCheck
  /// The number of open flow collections.
  private var openFlows = 0
  /// How many of them libyaml may still look at: it looks at each open one for each token.
  private var flowStepsLeft: Int
  private var anchors = Anchors()
  private var aliases = 0
  /// This document's nodes, and bytes of scalars and tags, with aliases expanded.
  private var nodes = 0
  private var bytes = 0
  /// The nodes and bytes that aliases and merges have added in all documents.
  private var expandedNodes = 0
  private var expandedBytes = 0
  /// The innermost open collection, or the document.
  private var current = Frame()
  private var outer: [Frame] = []
  private var properties: [Properties] = []
  var values = ValueStack()
  /// The positions in the text of the keys in ``values``.
  var keyMarks: [Mark] = []
  /// The indices in ``values`` of `<<` keys that merge.
  var merges: [Int] = []

  /// Creates a composer for the documents of a text.
  ///
  /// - Parameter events: A reader that stands before the first event of `bytes`.
  init(_ bytes: Bytes, _ events: EventReader, isASCII: Bool, hasStandIns: Bool, options: YAMLParsingOptions) {
    self.options = options
    self.hasStandIns = hasStandIns
    self.events = events
    flowStepsLeft = Self.leastFlowSteps + Self.flowStepsPerByte * bytes.count
    check = SourceCheck(SourceText(bytes, isASCII: isASCII))
  }

  /// The position of the last event.
  var mark: Mark { Mark(events.event.pointee.start_mark) }

  /// Returns the next document; nil at the end of the text.
  mutating func next() throws(YAMLError) -> YAMLValue? {
    guard try beginDocument() else { return nil }
    anchors.removeAll()
    nodes = 0
    bytes = 0
    repeat { try step() } while !outer.isEmpty
    try events.advance()
    try check.documentEnd(
      isImplicit: events.event.pointee.data.document_end.implicit != 0, from: mark,
      to: Mark(events.event.pointee.end_mark))
    return values.popLast()
  }

  /// Advances to the start of a document; returns false after the last one.
  mutating func beginDocument() throws(YAMLError) -> Bool {
    try events.advance()
    guard events.event.pointee.type == YAML_DOCUMENT_START_EVENT else { return false }
    let start = events.event.pointee.data.document_start
    let hasDirectives = start.version_directive != nil || start.tag_directives.start != start.tag_directives.end
    try check.document(hasDirectives: hasDirectives, from: mark, to: Mark(events.event.pointee.end_mark))
    return true
  }

  /// Processes one event of a document's content.
  private mutating func step() throws(YAMLError) {
    try events.advance()
    flowStepsLeft -= openFlows
    guard flowStepsLeft >= 0 else {
      throw YAMLError(.tooDeep, at: mark, reason: "too many nodes are in deeply nested flow collections")
    }
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

  /// Whether the next node is a key.
  private var isAtKey: Bool { current.isMapping && (values.count - current.start) & 1 == 0 }

  /// Refuses a scalar as a key that it would take very long to compare.
  private func checkKey(_ value: YAMLValue, at mark: Mark) throws(YAMLError) {
    guard isAtKey else { return }
    let isSlow =
      switch value {
      case .string(let text): text.isSlowToCompare
      case .tagged(let tagged): tagged.value.scalarText?.isSlowToCompare ?? false
      default: false
      }
    guard !isSlow else { throw YAMLError(.tooManyMarks, at: mark) }
  }

  /// Adds a finished node to the collection that contains it.
  private mutating func add(_ value: consuming YAMLValue, at mark: Mark) {
    if isAtKey { keyMarks.append(mark) }
    values.push(value)
  }

  // MARK: Scalars

  private mutating func scalar() throws(YAMLError) {
    let event = events.event
    let scalar = event.pointee.data.scalar
    let start = Mark(event.pointee.start_mark)
    nodes += 1
    let bytes = Bytes(start: scalar.value, count: scalar.length)
    self.bytes += scalar.length
    let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
    let kind: SourceCheck.Kind =
      isPlain
      ? .other
      : scalar.style == YAML_LITERAL_SCALAR_STYLE || scalar.style == YAML_FOLDED_SCALAR_STYLE ? .block : .quoted
    try check.look(
      at: kind, from: start, to: Mark(event.pointee.end_mark), indent: current.indent, isInFlow: current.isFlow)
    let value: YAMLValue
    if let tag = scalar.tag {
      try check.tag(from: start)
      let tag = String(cString: tag)
      self.bytes += tag.utf8.count
      guard !tag.isSlowToCompare else { throw YAMLError(.tooManyMarks, at: start) }
      value = try tagged(tag, bytes, scalar.style, at: start)
    } else if isPlain {
      // A dash before a flow indicator cannot begin a plain scalar (YAML 1.2 §7.3.3), although libyaml accepts it.
      if current.isFlow, bytes.count == 1, bytes[0] == UInt8(ascii: "-") {
        throw YAMLError(.syntax, at: start, reason: "expected a value in a flow collection, found a single -")
      }
      noteMerge(bytes)
      value = try plain(bytes, at: start)
    } else {
      value = .string(text(bytes, scalar.style))
    }
    try checkKey(value, at: start)
    if let anchor = scalar.anchor {
      let name = String(cString: anchor)
      try check.anchor(name, from: start)
      let size = scalar.length + (scalar.tag.map { Int(strlen(UnsafePointer(OpaquePointer($0)))) } ?? 0)
      anchors.close(name, anchors.open(name), Anchors.Node(value: value, nodes: 1, bytes: size, height: 0))
    }
    add(value, at: start)
  }

  private mutating func plain(_ bytes: Bytes, at mark: Mark) throws(YAMLError) -> YAMLValue {
    let resolved: YAMLValue?
    do throws(ScalarResolver.NumberTooLong) {
      resolved = try ScalarResolver.value(bytes, schema: options.schema, numberLimit: options.maximumNumberBytes)
    } catch {
      throw YAMLError(.numberTooLong, at: mark)
    }
    return resolved ?? .string(text(bytes, YAML_PLAIN_SCALAR_STYLE))
  }

  private mutating func tagged(
    _ tag: String, _ bytes: Bytes, _ style: yaml_scalar_style_t, at mark: Mark
  ) throws(YAMLError) -> YAMLValue {
    do throws(TagResolver.Failure) {
      let known = try TagResolver.scalar(
        tag, bytes, text: { text(bytes, style) }, schema: options.schema, numberLimit: options.maximumNumberBytes)
      if let known { return known }
    } catch {
      throw YAMLError(error == .numberTooLong ? .numberTooLong : .tagMismatch, at: mark)
    }
    // A value with an unknown tag keeps its kind, so that it can be written as it was read.
    let value =
      style == YAML_PLAIN_SCALAR_STYLE ? try plain(bytes, at: mark) : .string(text(bytes, style))
    guard let tagged = YAMLTagged(tag, value) else { throw YAMLError(.tagMismatch, at: mark) }
    return .tagged(tagged)
  }

  private func text(_ bytes: Bytes, _ style: yaml_scalar_style_t) -> String {
    hasStandIns
      ? PreparedText.restoring(bytes, isDoubleQuoted: style == YAML_DOUBLE_QUOTED_SCALAR_STYLE)
      : String(decoding: bytes, as: UTF8.self)
  }

  /// Records a plain `<<` that is used as a key.
  private mutating func noteMerge(_ bytes: Bytes) {
    guard bytes.count == 2, bytes[0] == UInt8(ascii: "<"), bytes[1] == UInt8(ascii: "<"), options.mergesKeys, isAtKey
    else { return }
    merges.append(values.count)
    current.hasMerges = true
  }

  // MARK: Collections

  private mutating func begin(
    isMapping: Bool, isFlow: Bool, anchor: UnsafeMutablePointer<UInt8>?, tag: UnsafeMutablePointer<UInt8>?
  ) throws(YAMLError) {
    let start = mark
    nodes += 1
    try check.look(
      at: isFlow ? .flowEdge : .other, from: start, to: Mark(events.event.pointee.end_mark), indent: current.indent,
      isInFlow: current.isFlow)
    guard outer.count < options.maximumDepth else { throw YAMLError(.tooDeep, at: start) }
    if isAtKey { keyMarks.append(start) }
    let bytesBefore = bytes
    let hasProperties = anchor != nil || tag != nil
    if hasProperties {
      let name = anchor.map { String(cString: $0) }
      if let name { try check.anchor(name, from: start) }
      if tag != nil { try check.tag(from: start) }
      bytes += tag.map { Int(strlen(UnsafePointer(OpaquePointer($0)))) } ?? 0
      let tag = tag.map { String(cString: $0) }
      if let tag, tag.isSlowToCompare { throw YAMLError(.tooManyMarks, at: start) }
      properties.append(Properties(anchor: name.map { ($0, anchors.open($0)) }, tag: tag))
    }
    if isFlow { openFlows += 1 }
    outer.append(current)
    // If a block collection has an anchor or a tag, its event starts there; that column is not the indentation.
    current = Frame(
      isMapping: isMapping, isFlow: isFlow, hasProperties: hasProperties, start: values.count,
      indent: isFlow || hasProperties ? current.indent : start.column, nodesBefore: nodes - 1,
      bytesBefore: bytesBefore, begin: start)
  }

  private mutating func end() throws(YAMLError) {
    guard let around = outer.popLast() else { return }
    let frame = current
    if frame.isFlow { openFlows -= 1 }
    let event = events.event
    try check.look(
      at: frame.isFlow ? .flowEdge : .other, from: Mark(event.pointee.start_mark),
      to: Mark(event.pointee.end_mark), indent: around.indent, isInFlow: frame.isFlow)
    var value: YAMLValue =
      frame.isMapping ? .mapping(try closeMapping(frame)) : .sequence(values.takeSequence(from: frame.start))
    current = around
    current.height = max(current.height, frame.height + 1)
    if frame.hasProperties, let properties = properties.popLast() {
      if let tag = properties.tag { value = try tagged(tag, value, at: frame.begin) }
      if let (name, serial) = properties.anchor {
        let node = Anchors.Node(
          value: value, nodes: nodes - frame.nodesBefore, bytes: bytes - frame.bytesBefore, height: frame.height)
        anchors.close(name, serial, node)
      }
    }
    values.push(value)
  }

  private func tagged(_ tag: String, _ collection: YAMLValue, at mark: Mark) throws(YAMLError) -> YAMLValue {
    do throws(TagResolver.Failure) {
      return try TagResolver.collection(tag, collection)
    } catch {
      throw YAMLError(.tagMismatch, at: mark)
    }
  }

  // MARK: Aliases

  private mutating func alias() throws(YAMLError) {
    let event = events.event
    let start = mark
    try check.look(
      at: .other, from: start, to: Mark(event.pointee.end_mark), indent: current.indent, isInFlow: current.isFlow)
    aliases += 1
    guard aliases <= options.maximumAliases else { throw YAMLError(.tooManyAliases, at: start) }
    let name = event.pointee.data.alias.anchor.map { String(cString: $0) } ?? ""
    try check.anchor(name, from: start)
    let node: Anchors.Node
    do throws(Anchors.Failure) {
      node = try anchors.node(name)
    } catch {
      throw YAMLError(error == .open ? .recursiveAlias : .unknownAnchor, at: start)
    }
    try expand(by: node.nodes, bytes: node.bytes, at: start)
    guard outer.count + node.height <= options.maximumDepth else { throw YAMLError(.tooDeep, at: start) }
    try checkKey(node.value, at: start)
    nodes += node.nodes
    bytes += node.bytes
    current.height = max(current.height, node.height + 1)
    add(node.value, at: start)
  }

  /// Counts nodes and bytes that are in the value but not in the text.
  mutating func expand(by count: Int, bytes: Int = 0, at mark: Mark) throws(YAMLError) {
    expandedNodes += count
    expandedBytes += bytes
    // Aliases of aliases double, so without a limit of its own no sum would be safe.
    guard expandedNodes <= min(options.maximumExpandedNodes, Self.most) else {
      throw YAMLError(.tooManyExpandedNodes, at: mark)
    }
    guard expandedBytes <= min(options.maximumExpandedBytes, Self.most) else {
      throw YAMLError(.tooManyExpandedBytes, at: mark)
    }
  }
}

/// The anchors of one document and the nodes they name.
struct Anchors {
  /// A node that aliases can refer to.
  struct Node {
    var value: YAMLValue
    /// The number of nodes in it, with aliases expanded.
    var nodes: Int
    /// The number of bytes of scalars and tags in it, with aliases expanded.
    var bytes: Int
    /// The deepest nesting of collections in it.
    var height: Int
  }

  private struct Entry {
    var serial: Int
    /// The finished node; nil while its content is still being read.
    var node: Node?
  }

  private var entries: [String: Entry] = [:]
  private var serial = 0

  var isEmpty: Bool { entries.isEmpty }

  mutating func removeAll() {
    entries.removeAll()
  }

  /// Declares the anchor of a node that begins.
  ///
  /// - Returns: The serial number for ``close(_:_:_:)``.
  mutating func open(_ name: String) -> Int {
    serial += 1
    entries[name] = Entry(serial: serial, node: nil)
    return serial
  }

  /// Sets the finished node, unless a node inside it has redefined the anchor.
  mutating func close(_ name: String, _ serial: Int, _ node: Node) {
    guard entries[name]?.serial == serial else { return }
    entries[name]?.node = node
  }

  enum Failure: Error { case unknown, open }

  func node(_ name: String) throws(Failure) -> Node {
    guard let entry = entries[name] else { throw .unknown }
    guard let node = entry.node else { throw .open }
    return node
  }
}
