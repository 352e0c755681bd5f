import CLibxml2
import CurlewCore
public import FoundationEssentials

/// Makes events of a document that comes in pieces of any size, in constant memory.
///
/// ```swift
/// let parser = try XMLEventParser()
/// for chunk in chunks {
///   try parser.append(chunk)
///   while let event = parser.next() { … }
/// }
/// try parser.finish()
/// while let event = parser.next() { … }
/// ```
///
/// It holds one piece, the events made of it, and what libxml2 needs to go on: at most a token, whose size libxml2 limits to
/// 10 MB, and the declarations of the document. For use by one task at a time.
public final class XMLEventParser {
  /// How many bytes are parsed at once, so that few events wait.
  private static let pieceBytes = 16_384
  /// How much of the beginning is kept until the rules for it were checked.
  private static let prologBytes = 65_536

  private let context: xmlParserCtxtPtr
  private let state: UnsafeMutablePointer<ParserState>
  private let events = EventQueue()
  /// What was not parsed yet.
  private var rest = Data()
  /// The beginning of the document; nil when the rules for it were checked.
  private var prolog: Data? = Data()
  /// Whether no more bytes come.
  private var isComplete = false
  /// Whether the end was checked, or an error ended it.
  private var isFinished = false

  /// Makes a parser at the beginning of a document.
  ///
  /// - Throws: ``XMLError`` of kind `outOfMemory`.
  public init(options: XMLParsingOptions = XMLParsingOptions()) throws(XMLError) {
    Library.prepare()
    guard let context = xmlCreatePushParserCtxt(nil, nil, nil, 0, nil) else {
      throw XMLError(.outOfMemory, line: 1, column: 1, "there is no memory for a parser")
    }
    self.context = context
    state = .allocate(capacity: 1)
    state.initialize(to: ParserState(context, options, receivedBytes: 0, events: events))
    xmlCtxtUseOptions(context, Library.parserOptions(options))
    context.pointee.replaceEntities = 1
    Callbacks.install(state, in: context)
    Callbacks.installEvents(in: context)
  }

  deinit {
    if let tree = context.pointee.myDoc { xmlFreeDoc(tree) }
    xmlFreeParserCtxt(context)
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Adds the next bytes. Call it when ``next()`` has returned nil, so that little waits.
  ///
  /// - Throws: ``XMLError`` with line and column; after it the document is at its end.
  public func append(_ chunk: Data) throws(XMLError) {
    guard !isComplete else { return }
    rest = rest.isEmpty ? chunk : rest + chunk
    if canParse { try parsePiece() }
  }

  /// The next event; nil when there is none without more bytes, or at the end.
  ///
  /// - Throws: ``XMLError`` with line and column; after it the document is at its end.
  public func next() throws(XMLError) -> XMLEvent? {
    while true {
      if let event = events.next() { return event }
      guard canParse else { return nil }
      try parsePiece()
    }
  }

  /// Tells that the document has ended, so that ``next()`` gives its last events.
  ///
  /// - Throws: ``XMLError`` with line and column when it is not complete, or not well-formed.
  public func finish() throws(XMLError) {
    isComplete = true
    while canParse { try parsePiece() }
    guard !isFinished else { return }
    isFinished = true
    guard state.pointee.receivedBytes > 0 else {
      throw XMLError(.empty, line: 1, column: 1, "there is no document")
    }
    parse(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true)
    try checkProlog(isWhole: true)
    try check()
    let end = SourcePosition(context)
    guard context.pointee.wellFormed == 1, context.pointee.nsWellFormed == 1 else {
      throw XMLError(.malformed, line: end.line, column: end.column, "the document is not well-formed")
    }
    guard curlew_xml_unconverted(context) == 0, !isCut else {
      throw XMLError(.truncated, line: end.line, column: end.column, "the document ends within a character")
    }
  }

  /// The width of a code unit, known from the first bytes.
  private var unitWidth: Int?
  private var isCut: Bool { state.pointee.receivedBytes % (unitWidth ?? 1) != 0 }

  /// Whether there are bytes to go on with; the first four tell the encoding, and have to come together.
  private var canParse: Bool {
    !rest.isEmpty && (state.pointee.receivedBytes > 0 || rest.count >= 4 || isComplete)
  }

  private func parsePiece() throws(XMLError) {
    let piece = rest.prefix(Self.pieceBytes)
    rest = rest.dropFirst(piece.count)
    if rest.isEmpty { rest = Data() }
    piece.withUnsafeBytes { bytes in
      let units = CodeUnits(bytes)
      if unitWidth == nil { unitWidth = units.form.width }
      if unitWidth == 1, units.bytes.contains(0) {
        state.pointee.failure = ParseFailure(
          kind: .malformed, reason: "a NUL is no character of XML", position: SourcePosition(context))
      } else {
        parse(bytes, isLast: false)
      }
    }
    if prolog != nil {
      prolog?.append(piece)
      try checkProlog(isWhole: false)
    }
    try check()
  }

  private func parse(_ bytes: UnsafeRawBufferPointer, isLast: Bool) {
    state.pointee.receivedBytes += bytes.count
    Library.run(state, context.pointee.sax?.pointee.serror) {
      _ = xmlParseChunk(
        context, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), isLast ? 1 : 0)
    }
  }

  /// Checks the beginning once the first element has begun, or as much of it as is kept.
  private func checkProlog(isWhole: Bool) throws(XMLError) {
    guard let prolog, isWhole || state.pointee.hasBegun || prolog.count > Self.prologBytes else { return }
    self.prolog = nil
    guard state.pointee.failure == nil else { return }
    state.pointee.failure = prolog.withUnsafeBytes { PrologCheck.failure(in: CodeUnits($0)) }
  }

  private func check() throws(XMLError) {
    guard let failure = state.pointee.failure else { return }
    isComplete = true
    isFinished = true
    rest = Data()
    prolog = nil
    events.clear()
    throw failure.error
  }
}
