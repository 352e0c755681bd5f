import CLibxml2

/// What a parser's callbacks share: limits, what was spent of them, and the first failure.
///
/// libxml2 hands every callback a pointer to it, those within an entity's content too, so that all of a document is
/// counted, and built, in one place.
struct ParserState {
  /// The document's own parser, under which those of entities run.
  let context: xmlParserCtxtPtr
  let options: XMLParsingOptions
  /// How many bytes of the document the parser was given.
  var receivedBytes: Int
  /// How many elements are open.
  var depth = 0
  /// What entities and defaulted attributes have cost.
  var expandedBytes = 0
  var failure: ParseFailure?
  /// The bytes of the whole document; nil for a stream. They are there as long as the parser runs.
  let source: UnsafeRawBufferPointer?
  /// Where events go; nil when a tree is built.
  let events: EventQueue?

  init(_ context: xmlParserCtxtPtr, _ options: XMLParsingOptions, source: UnsafeRawBufferPointer) {
    self.context = context
    self.options = options
    self.source = source
    receivedBytes = source.count
    events = nil
  }

  init(_ context: xmlParserCtxtPtr, _ options: XMLParsingOptions, events: EventQueue) {
    self.context = context
    self.options = options
    self.events = events
    source = nil
    receivedBytes = 0
  }

  /// Where the parser stands in the document itself, not in an entity.
  var position: SourcePosition {
    let input = context.pointee.inputNr > 1 ? context.pointee.inputTab?[0] : context.pointee.input
    guard let input = input?.pointee else { return SourcePosition() }
    // libxml2 counts fewer kinds of lines, but knows its place as long as it does not convert.
    if let source, input.buf?.pointee.encoder == nil, let start = input.base, let current = input.cur {
      return SourcePosition(offset: current - start + Int(clamping: input.consumed), in: source)
    }
    return SourcePosition(line: max(1, Int(input.line)), column: max(1, Int(input.col)))
  }

  /// Keeps the first failure and ends the parser; called from callbacks that libxml2 lets do so.
  mutating func stop(_ kind: XMLError.Kind, _ reason: String) {
    guard failure == nil else { return }
    failure = ParseFailure(kind: kind, reason: reason, position: position)
    xmlStopParser(context)
  }

  /// Counts one more open element, and what its attributes add that the document does not spell out.
  mutating func open(
    namespaces: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, _ namespaceCount: Int,
    attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, _ attributeCount: Int, defaulted: Int
  ) -> Bool {
    depth += 1
    guard depth <= options.maximumDepth else {
      stop(.tooDeep, "elements are nested deeper than \(options.maximumDepth)")
      return false
    }
    guard attributeCount <= options.maximumAttributes else {
      stop(.tooManyAttributes, "an element has more than \(options.maximumAttributes) attributes")
      return false
    }
    if defaulted > 0, let attributes {
      for index in max(0, attributeCount - defaulted)..<max(0, attributeCount) {
        guard let start = attributes[index * 5 + 3], let end = attributes[index * 5 + 4] else { continue }
        spend(Cost.defaultedAttribute + (end - start))
      }
    }
    // Which declarations are defaulted is not told; the document's own are paid for by its size, and checked already.
    if namespaceCount > 0, context.pointee.attsDefault != nil, let namespaces {
      for index in 0..<namespaceCount {
        spend(Cost.namespace + (namespaces[index * 2 + 1].map { Int(xmlStrlen($0)) } ?? 0))
        let fault = NamespaceCheck.fault(prefix: namespaces[index * 2], name: namespaces[index * 2 + 1])
        if let fault { stop(.namespace, fault) }
      }
    }
    if context.pointee.depth > 0 { spend(Cost.element + attributeCount * Cost.attribute) }
    return failure == nil
  }

  /// Counts a reference, and gives the entity's declaration back when it may be read.
  mutating func refer(to entity: xmlEntityPtr?) -> xmlEntityPtr? {
    guard failure == nil, let entity else { return nil }
    switch entity.pointee.etype {
    case XML_INTERNAL_PREDEFINED_ENTITY: return entity
    case XML_EXTERNAL_GENERAL_PARSED_ENTITY, XML_EXTERNAL_PARAMETER_ENTITY:
      stop(.externalEntity, "an external entity is referred to, and none is ever loaded")
      return nil
    default:
      spend(Cost.reference + Int(entity.pointee.length))
      return failure == nil ? entity : nil
    }
  }

  private mutating func spend(_ bytes: Int) {
    expandedBytes += bytes
    guard expandedBytes > options.expansionLimit(after: receivedBytes) else { return }
    stop(.expansion, "entities or defaulted attributes make the document larger than allowed")
  }

  /// What things cost: in memory, about; but what an entity spells out as much as a document's own is paid for.
  private enum Cost {
    static let reference = 20
    static let element = 40
    static let attribute = 30
    static let defaultedAttribute = 100
    static let namespace = 48
  }
}
