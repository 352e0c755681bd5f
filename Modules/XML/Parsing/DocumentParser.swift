import CLibxml2
import CurlewCore

/// Parses the bytes of a document into a tree.
enum DocumentParser {
  /// Returns the tree, which the caller must free.
  static func parse(
    _ bytes: UnsafeRawBufferPointer, charset: Charset?, _ options: XMLParsingOptions
  ) throws(XMLError) -> xmlDocPtr {
    guard bytes.count <= min(max(options.maximumBytes, 0), Int(Int32.max) - 1) else {
      throw XMLError(.tooLarge, line: 1, column: 1, "the document is larger than \(options.maximumBytes) bytes")
    }
    let units = CodeUnits(bytes)
    guard let start = bytes.baseAddress, !units.isBlank else {
      throw XMLError(.empty, line: 1, column: 1, "the document is empty; expected an element")
    }
    let encoding = try SourceEncoding(charset, of: units)
    if let index = units.firstNUL {
      throw ParseFailure(
        kind: .malformed, reason: "XML does not allow the character U+0000", position: units.position(of: index)
      )
      .error
    }
    if let failure = AttributeCheck.failure(in: units, encoding, options) { throw failure.error }
    Library.prepare()
    guard let context = xmlCreateMemoryParserCtxt(start, Int32(bytes.count)) else {
      throw XMLError(.outOfMemory, line: 1, column: 1, "there is not enough memory for a parser")
    }
    defer { xmlFreeParserCtxt(context) }
    let state = UnsafeMutablePointer<ParserState>.allocate(capacity: 1)
    state.initialize(to: ParserState(context, options, source: bytes))
    defer {
      state.deinitialize(count: 1)
      state.deallocate()
    }
    run(state, encoding)
    let tree = context.pointee.myDoc
    context.pointee.myDoc = nil
    do throws(XMLError) {
      try check(state, units, encoding)
      guard let tree else { throw XMLError(.empty, line: 1, column: 1, "the document is empty; expected an element") }
      if tree.pointee.encoding == nil, let declared = encoding.declared {
        curlew_xml_set_encoding(tree, declared)
      }
      // libxml2 creates this namespace on first use, which would modify a tree that is already shared.
      _ = xmlSearchNs(tree, xmlDocGetRootElement(tree), "xml")
      return tree
    } catch {
      if let tree { xmlFreeDoc(tree) }
      throw error
    }
  }

  private static func run(_ state: UnsafeMutablePointer<ParserState>, _ encoding: SourceEncoding) {
    let context = state.pointee.context
    Library.configure(context, state.pointee.options)
    Callbacks.install(state, in: context)
    Callbacks.installTree(in: context)
    Library.run(state, Callbacks.report) {
      guard encoding.apply(to: context) else {
        state.pointee.stop(.encoding, "the system does not support the encoding \(encoding.label ?? "")")
        return
      }
      _ = xmlParseDocument(context)
    }
  }

  /// Throws the first failure that libxml2 or our own checks have found.
  private static func check(
    _ state: UnsafeMutablePointer<ParserState>, _ units: CodeUnits, _ encoding: SourceEncoding
  ) throws(XMLError) {
    let context = state.pointee.context
    if let failure = state.pointee.failure { throw failure.error }
    let end = state.pointee.position
    guard context.pointee.wellFormed == 1, context.pointee.nsWellFormed == 1 else {
      throw ParseFailure(kind: .malformed, reason: "the document is not well-formed XML", position: end).error
    }
    if units.isCut || curlew_xml_unconverted(context) > 0 {
      throw ParseFailure(kind: .truncated, reason: "the document ends within a character", position: end).error
    }
    if let input = context.pointee.input, input.pointee.cur < input.pointee.end {
      throw ParseFailure(
        kind: .malformed,
        reason: "expected only comments, processing instructions and white space after the document's element",
        position: end
      ).error
    }
    if case .failed(let failure) = PrologCheck.outcome(in: units, encoding) { throw failure.error }
  }
}
