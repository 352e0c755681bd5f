import CLibxml2
import CurlewCore

/// Makes a tree of the bytes of a document.
enum DocumentParser {
  /// The tree, to be freed by the caller.
  static func parse(
    _ bytes: UnsafeRawBufferPointer, charset: Charset?, _ options: XMLParsingOptions
  ) throws(XMLError) -> xmlDocPtr {
    guard bytes.count <= min(max(options.maximumBytes, 0), Int(Int32.max) - 1) else {
      throw XMLError(.tooLarge, line: 1, column: 1, "the document is larger than \(options.maximumBytes) bytes")
    }
    let units = CodeUnits(bytes)
    guard let start = bytes.baseAddress, !units.isBlank else {
      throw XMLError(.empty, line: 1, column: 1, "there is no document")
    }
    let label = try SourceEncoding.label(charset, of: units)
    if let index = units.firstNUL {
      throw ParseFailure(kind: .malformed, reason: "a NUL is no character of XML", position: units.position(of: index))
        .error
    }
    if let failure = AttributeCheck.failure(in: units, options) { throw failure.error }
    Library.prepare()
    guard let context = xmlCreateMemoryParserCtxt(start, Int32(bytes.count)) else {
      throw XMLError(.outOfMemory, line: 1, column: 1, "there is no memory for a parser")
    }
    defer { xmlFreeParserCtxt(context) }
    let state = UnsafeMutablePointer<ParserState>.allocate(capacity: 1)
    state.initialize(to: ParserState(context, options, source: bytes))
    defer {
      state.deinitialize(count: 1)
      state.deallocate()
    }
    run(state, label)
    let tree = context.pointee.myDoc
    context.pointee.myDoc = nil
    do throws(XMLError) {
      try check(state, units, label)
      guard let tree else { throw XMLError(.empty, line: 1, column: 1, "there is no document") }
      // libxml2 makes it when it is first asked for, which would be a change to a tree that is shared by then.
      _ = xmlSearchNs(tree, xmlDocGetRootElement(tree), "xml")
      return tree
    } catch {
      if let tree { xmlFreeDoc(tree) }
      throw error
    }
  }

  private static func run(_ state: UnsafeMutablePointer<ParserState>, _ label: String?) {
    let context = state.pointee.context
    Library.configure(context, state.pointee.options)
    Callbacks.install(state, in: context)
    Callbacks.installTree(in: context)
    Library.run(state, context.pointee.sax?.pointee.serror) {
      if let label, !SourceEncoding.apply(label, to: context, state.pointee.options) {
        state.pointee.stop(.encoding, "the encoding \(label) is not known")
        return
      }
      _ = xmlParseDocument(context)
    }
  }

  /// Throws what was found, by libxml2 or by checks of our own.
  private static func check(
    _ state: UnsafeMutablePointer<ParserState>, _ units: CodeUnits, _ label: String?
  ) throws(XMLError) {
    let context = state.pointee.context
    if let failure = state.pointee.failure { throw failure.error }
    let end = state.pointee.position
    guard context.pointee.wellFormed == 1, context.pointee.nsWellFormed == 1 else {
      throw ParseFailure(kind: .malformed, reason: "the document is not well-formed", position: end).error
    }
    if units.isCut || curlew_xml_unconverted(context) > 0 {
      throw ParseFailure(kind: .truncated, reason: "the document ends within a character", position: end).error
    }
    if let input = context.pointee.input, input.pointee.cur < input.pointee.end {
      throw ParseFailure(kind: .malformed, reason: "something follows the end of the document", position: end).error
    }
    if case .failed(let failure) = PrologCheck.outcome(in: units, isLabeled: label != nil) { throw failure.error }
  }
}
