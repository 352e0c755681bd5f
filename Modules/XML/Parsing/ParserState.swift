import CLibxml2
import CurlewCore
import Glibc

/// The state that a parser's callbacks share.
///
/// It holds the limits, how much of them is used, and the first failure.
///
/// libxml2 passes a pointer to it to every callback, also while it parses the content of an entity. So one counter
/// covers everything in a document.
struct ParserState {
  /// The document's parser.
  ///
  /// Libxml2 creates further parsers for the content of entities.
  let context: xmlParserCtxtPtr
  let options: XMLParsingOptions
  /// The number of the document's bytes that the parser has received.
  var receivedBytes: Int
  /// The number of open elements.
  private(set) var depth = 0
  /// The number of namespace declarations in scope.
  private var namespacesInScope = 0
  /// The open elements that declare namespaces, with their numbers of declarations.
  private var declaring: [(depth: Int, count: Int)] = []
  /// The number of nodes in the tree.
  private var nodes = 0
  /// The bytes added by entities, defaulted attributes and long namespace names.
  var expandedBytes = 0
  /// The numbers of attributes that are declared for each element.
  private var declaredAttributes: [String: Int] = [:]
  /// The values that parameter entities can have added to the enumerated type that is being read.
  private var enumeratedValues = 0
  /// The values of all enumerated types that were read.
  private var declaredValues = 0
  /// Whether an entity was declared a second time; see ``CarriageReturns``.
  var hasCarriageReturns = false
  var failure: ParseFailure?
  /// The bytes of the whole document while the parser runs; nil for a stream.
  let source: UnsafeRawBufferPointer?
  /// The queue that receives the events; nil when a tree is built.
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

  /// The parser's position in the document.
  ///
  /// Inside an entity it is the position of the reference.
  var position: SourcePosition {
    let input = context.pointee.inputNr > 1 ? context.pointee.inputTab?[0] : context.pointee.input
    guard let input = input?.pointee else { return SourcePosition() }
    // libxml2 does not count every kind of line break. Without a conversion, its offset is the document's.
    if let source, input.buf?.pointee.encoder == nil, let start = input.base, let current = input.cur {
      return SourcePosition(offset: current - start + Int(clamping: input.consumed), in: source)
    }
    return SourcePosition(line: max(1, Int(input.line)), column: max(1, Int(input.col)))
  }

  /// Records the first failure and stops the parser.
  ///
  /// Callbacks of declarations and content may call it.
  mutating func stop(_ kind: XMLError.Kind, _ reason: String) {
    guard failure == nil else { return }
    failure = ParseFailure(kind: kind, reason: reason, position: position)
    xmlStopParser(context)
  }

  /// Records an excess and stops the parser.
  mutating func stop(_ excess: AttributeCheck.Excess) {
    let failure = excess.failure(options, at: position)
    stop(failure.kind, failure.reason)
  }

  /// Counts the declaration of an attribute; stops the parser and returns false if there are too many.
  ///
  /// libxml2 compares the attributes of an element with all that are declared for it, and keeps the defaults of all elements in a
  /// table that does not grow.
  ///
  /// - Parameter values: The values of an enumerated type.
  mutating func declareAttribute(of element: UnsafePointer<xmlChar>?, values: xmlEnumerationPtr?) -> Bool {
    guard failure == nil, check(element) else { return false }
    enumeratedValues = 0
    let name = String(xml: element) ?? ""
    let count = declaredAttributes[name, default: 0] + 1
    declaredAttributes[name] = count
    if count > max(options.maximumAttributes, 0) { stop(.attributes) }
    if declaredAttributes.count > max(options.maximumAttributes, 0) { stop(.elements) }
    var value = values
    while let next = value {
      declaredValues += 1
      value = next.pointee.next
    }
    if declaredValues / AttributeCheck.fullTypes >= max(options.maximumAttributes, 1) { stop(.allValues) }
    return failure == nil
  }

  /// Stops the parser and returns false at a name that it would take very long to compare.
  mutating func check(_ name: UnsafePointer<xmlChar>?) -> Bool {
    guard let name, strlen(UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self)) > Self.ordinaryName else {
      return true
    }
    guard let text = String(xml: name), text.isSlowToCompare else { return true }
    stop(.tooLarge, "a name has more than 1,024 combining marks in a row")
    return false
  }

  /// A name of up to this many bytes is quick to compare.
  private static let ordinaryName = 2_048

  /// Counts nodes of the tree; stops the parser and returns false if too many.
  mutating func addNodes(_ count: Int = 1) -> Bool {
    guard failure == nil else { return false }
    guard events == nil else { return true }
    nodes += count
    guard nodes <= max(options.maximumNodes, 0) else {
      stop(.tooManyNodes, "the document has more than \(options.maximumNodes) nodes")
      return false
    }
    return true
  }

  /// Records the end of the innermost open element.
  mutating func close() {
    if let last = declaring.last, last.depth == depth {
      namespacesInScope -= last.count
      declaring.removeLast()
    }
    depth -= 1
  }

  /// Counts an open element, and what its attributes add beyond the document's text.
  ///
  /// - Returns: False, after stopping the parser, when a limit is exceeded.
  mutating func open(
    _ name: UnsafePointer<xmlChar>?, _ prefix: UnsafePointer<xmlChar>?, _ namespace: UnsafePointer<xmlChar>?,
    namespaces: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, _ namespaceCount: Int,
    attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, _ attributeCount: Int, defaulted: Int
  ) -> Bool {
    depth += 1
    guard depth <= options.maximumDepth else {
      stop(.tooDeep, "elements are nested deeper than \(options.maximumDepth)")
      return false
    }
    guard attributeCount <= options.maximumAttributes else {
      stop(.attributes)
      return false
    }
    if namespaceCount > 0 {
      declaring.append((depth, namespaceCount))
      namespacesInScope += namespaceCount
      guard namespacesInScope <= max(options.maximumNamespaces, 0) else {
        stop(
          .tooManyNamespaces,
          "more than \(options.maximumNamespaces) namespace declarations are in scope at one element")
        return false
      }
    }
    guard addNodes(1 + attributeCount + namespaceCount), check(name), check(prefix) else { return false }
    for index in 0..<max(0, attributeCount) {
      guard check(attributes?[index * 5]), check(attributes?[index * 5 + 1]) else { return false }
    }
    for index in 0..<max(0, namespaceCount) {
      guard check(namespaces?[index * 2]), check(namespaces?[index * 2 + 1]) else { return false }
    }
    spendNames(namespace, attributes, attributeCount)
    if defaulted > 0, let attributes {
      for index in max(0, attributeCount - defaulted)..<max(0, attributeCount) {
        // libxml2 refuses such a name in a tag, but not in the declaration of a default (Namespaces in XML 1.0 §4).
        if let name = attributes[index * 5], xmlStrchr(name, xmlChar(UInt8(ascii: ":"))) != nil {
          let name = String(xml: name) ?? ""
          stop(.namespace, "the name \(name) of a default attribute has a colon that separates nothing")
          return false
        }
        guard let start = attributes[index * 5 + 3], let end = attributes[index * 5 + 4] else { continue }
        spend(Cost.defaultedAttribute + (end - start))
      }
    }
    // libxml2 does not tell which declarations come from defaults, so all are counted and checked.
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

  /// Returns the declaration of an entity for a reference to it.
  ///
  /// In an attribute value that is inside another entity, it is the one for content.
  func entity(_ name: UnsafePointer<xmlChar>?) -> xmlEntityPtr? {
    let document = context.pointee.myDoc
    if hasCarriageReturns, let name, context.pointee.instate != XML_PARSER_ATTRIBUTE_VALUE,
      let second = xmlGetDocEntity(document, CarriageReturns.secondName(name))
    {
      return second
    }
    return xmlGetDocEntity(document, name)
  }

  /// Counts a reference to an entity.
  ///
  /// - Returns: The entity's declaration; nil when it must not be expanded.
  mutating func refer(to entity: xmlEntityPtr?) -> xmlEntityPtr? {
    guard failure == nil, let entity else { return nil }
    switch entity.pointee.etype {
    case XML_INTERNAL_PREDEFINED_ENTITY: return entity
    case XML_EXTERNAL_GENERAL_PARSED_ENTITY, XML_EXTERNAL_PARAMETER_ENTITY:
      stop(.externalEntity, "the document refers to an external entity; external entities are never loaded")
      return nil
    default:
      spend(Cost.reference + Int(entity.pointee.length))
      if entity.pointee.etype == XML_INTERNAL_PARAMETER_ENTITY, let content = entity.pointee.content {
        enumeratedValues += AttributeCheck.values(in: content)
        if enumeratedValues >= max(options.maximumAttributes, 1) { stop(.values) }
      }
      return failure == nil ? entity : nil
    }
  }

  /// Counts the bytes of unusually long namespace names.
  ///
  /// A document contains such a name once, but reading or printing its elements repeats it for each of them.
  private mutating func spendNames(
    _ namespace: UnsafePointer<xmlChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, _ count: Int
  ) {
    var bytes = namespace.map { max(0, Int(xmlStrlen($0)) - Cost.ordinaryName) } ?? 0
    if let attributes {
      for index in 0..<max(0, count) {
        guard let name = attributes[index * 5 + 2] else { continue }
        bytes += max(0, Int(xmlStrlen(name)) - Cost.ordinaryName)
      }
    }
    if bytes > 0 { spend(bytes) }
  }

  private mutating func spend(_ bytes: Int) {
    expandedBytes += bytes
    guard expandedBytes > options.expansionLimit(after: receivedBytes) else { return }
    stop(
      .expansion,
      "entities, defaulted attributes or long namespace names make the document more than "
        + "\(options.expansionLimit(after: receivedBytes)) bytes larger")
  }

  /// Costs of expansion, roughly the memory used; the document's own text is free.
  private enum Cost {
    static let reference = 20
    static let element = 40
    static let attribute = 30
    static let defaultedAttribute = 100
    static let namespace = 48
    /// Up to this length a namespace name is not counted.
    static let ordinaryName = 256
  }
}
