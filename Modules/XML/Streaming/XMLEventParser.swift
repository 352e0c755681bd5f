import CLibxml2
public import CurlewCore
public import FoundationEssentials
import Glibc

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
/// 10 MB, and the declarations of the document. What comes before the element, and a comment behind it, may have 8 MiB, and
/// are refused beyond with an ``XMLError`` of kind `tooLarge`. For use by one task at a time.
public final class XMLEventParser {
  /// How many bytes are parsed at once, so that few events wait.
  private static let pieceBytes = 16_384
  /// How long what comes before the element may be, and a comment behind it, which are kept until their end has come.
  ///
  /// libxml2 refuses to look for an end farther away than 10 MB.
  var keptBytes = 8 << 20

  private let context: xmlParserCtxtPtr
  private let state: UnsafeMutablePointer<ParserState>
  private let events = EventQueue()
  private let charset: Charset?
  private var isLabeled = false
  /// What was not parsed yet.
  private var rest = Data()
  /// The beginning of the document, which is parsed in one piece; nil behind it.
  ///
  /// libxml2 looks for the end of the declaration without regard to quotes when it comes in pieces.
  private var prolog: Data? = Data()
  /// How long the beginning has to be to look at it again; growing, so that tiny chunks do not cost more.
  private var nextLook = 0
  /// What is parsed; nil before the first bytes have told the encoding.
  private var comments: OuterComments?
  private var openTag = (position: -1, scanned: 0, counter: AttributeCounter())
  /// Whether no more bytes come.
  private var isComplete = false
  /// Whether the end was checked, or an error ended it.
  private var isFinished = false

  /// Makes a parser at the beginning of a document.
  ///
  /// - Parameters:
  ///   - charset: The encoding when it is known from outside, as from `Content-Type`; it stands above what the document
  ///     declares and below a byte order mark (RFC 7303 §3).
  /// - Throws: ``XMLError`` of kind `outOfMemory`.
  public init(charset: Charset? = nil, options: XMLParsingOptions = XMLParsingOptions()) throws(XMLError) {
    self.charset = charset
    Library.prepare()
    guard let context = xmlCreatePushParserCtxt(nil, nil, nil, 0, nil) else {
      throw XMLError(.outOfMemory, line: 1, column: 1, "there is no memory for a parser")
    }
    self.context = context
    state = .allocate(capacity: 1)
    state.initialize(to: ParserState(context, options, events: events))
    Library.configure(context, options)
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
    if rest.isEmpty { rest = chunk } else { rest.append(chunk) }
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
    if prolog?.isEmpty == false { try parsePiece() }
    guard !isFinished else { return }
    isFinished = true
    guard state.pointee.receivedBytes > 0 else {
      throw XMLError(.empty, line: 1, column: 1, "there is no document")
    }
    if let rest = comments?.rest(), !rest.isEmpty { rest.withUnsafeBytes { parse($0, isLast: false) } }
    parse(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true)
    checkText()
    try check()
    let end = state.pointee.position
    if context.pointee.wellFormed != 1 || context.pointee.nsWellFormed != 1 {
      fail(.malformed, "the document is not well-formed", at: end)
    } else if let input = context.pointee.input, input.pointee.cur < input.pointee.end {
      fail(.malformed, "something follows the end of the document", at: end)
    } else if curlew_xml_unconverted(context) > 0 || isCut {
      fail(.truncated, "the document ends within a character", at: end)
    }
    try check()
  }

  private func fail(_ kind: XMLError.Kind, _ reason: String, at position: SourcePosition) {
    state.pointee.failure = ParseFailure(kind: kind, reason: reason, position: position)
  }

  /// The width of a code unit, known from the first bytes.
  private var unitWidth: Int?
  private var isCut: Bool { state.pointee.receivedBytes % (unitWidth ?? 1) != 0 }

  /// Whether there are bytes to go on with; the first four tell the encoding, and have to come together.
  private var canParse: Bool {
    !rest.isEmpty && (state.pointee.receivedBytes > 0 || rest.count >= 4 || isComplete)
  }

  private func parsePiece() throws(XMLError) {
    var piece = rest.prefix(Self.pieceBytes)
    rest = rest.dropFirst(piece.count)
    if rest.isEmpty { rest = Data() }
    state.pointee.receivedBytes += piece.count
    if prolog != nil {
      prolog?.append(piece)
      guard var whole = prolog, let misread = misreadWhenReady(whole) else { return }
      prolog = nil
      Self.blank(misread, of: &whole)
      piece = whole
    }
    piece.withUnsafeBytes { bytes in
      if unitWidth == nil { begin(CodeUnits(bytes)) }
      if unitWidth == 1, let start = bytes.baseAddress, memchr(start, 0, bytes.count) != nil {
        state.pointee.stop(.malformed, "a NUL is no character of XML")
      }
    }
    comments?.append(piece)
    while state.pointee.failure == nil, let part = comments?.next(isOutside: isOutside) {
      part.withUnsafeBytes { parse($0, isLast: false) }
    }
    if comments?.isTooLong == true {
      state.pointee.stop(.tooLarge, "a comment is longer than \(keptBytes) bytes")
    }
    countAttributes()
    checkText()
    try check()
  }

  /// Whether libxml2 has parsed all it was given and stands where comments are not content.
  private var isOutside: Bool {
    switch context.pointee.instate {
    case XML_PARSER_MISC, XML_PARSER_PROLOG, XML_PARSER_EPILOG: break
    default: return false
    }
    // A carriage return waits for what comes behind it.
    guard let input = context.pointee.input?.pointee, var next = input.cur, let end = input.end else { return false }
    while next < end, next.pointee.isXMLSpace { next += 1 }
    return next == end
  }

  /// What libxml2 would misread in the beginning, once that can be parsed, as all its declarations are there.
  private func misreadWhenReady(_ beginning: Data) -> [Range<Int>]? {
    let isWhole = isComplete && rest.isEmpty
    guard beginning.count >= nextLook || isWhole else { return nil }
    nextLook = min(beginning.count < 1024 ? beginning.count + 1 : beginning.count * 2, keptBytes)
    // Not by a byte more, so that it does not matter how they came.
    return beginning.prefix(keptBytes).withUnsafeBytes { bytes in
      let units = CodeUnits(bytes)
      var found: [Range<Int>] = []
      switch PrologCheck.outcome(in: units, isLabeled: charset != nil && !units.isMarked) {
      case .passed(let misread):
        found = misread.map { $0 * units.form.width..<($0 + 1) * units.form.width }
      case .incomplete:
        if beginning.count >= keptBytes {
          state.pointee.stop(.tooLarge, "what comes before the element is longer than \(keptBytes) bytes")
        } else if !isWhole {
          return nil
        }
      case .failed(let failure): state.pointee.failure = failure
      }
      if let failure = AttributeCheck.failure(in: units, state.pointee.options), state.pointee.failure == nil {
        state.pointee.failure = failure
      }
      return found
    }
  }

  /// Makes spaces of characters in comments and instructions that nobody is told of.
  private static func blank(_ characters: [Range<Int>], of beginning: inout Data) {
    guard !characters.isEmpty else { return }
    var bytes = [UInt8](beginning)
    for range in characters {
      for index in range where bytes[index] != 0 { bytes[index] = 0x20 }
    }
    beginning = Data(bytes)
  }

  /// In pieces, libxml2 takes more for UTF-8 in CDATA sections than there is.
  private func checkText() {
    if events.isMalformed { state.pointee.stop(.encoding, "the text is not UTF-8") }
  }

  /// Counts in a tag whose end has not come yet; in one that came whole there is no room for many.
  private func countAttributes() {
    guard let input = context.pointee.input?.pointee, let start = input.base, let current = input.cur,
      let end = input.end, end - current > Self.pieceBytes / 2, state.pointee.failure == nil
    else { return }
    let position = Int(clamping: input.consumed) + (current - start)
    if openTag.position != position { openTag = (position, 0, AttributeCounter()) }
    let units = CodeUnits(UnsafeRawBufferPointer(start: current, count: end - current), .bytes)
    let scanned = openTag.scanned
    openTag.scanned = units.count
    let limit = state.pointee.options.maximumAttributes
    if units[0] == 0x3C, openTag.counter.count(in: units, from: scanned, to: units.count, upTo: limit) {
      state.pointee.stop(.tooManyAttributes, "an element has more than \(limit) attributes")
    }
  }

  /// Looks at the first bytes for the encoding.
  private func begin(_ units: CodeUnits) {
    unitWidth = units.form.width
    comments = OuterComments(units.form, limit: keptBytes)
    do throws(XMLError) {
      guard let label = try SourceEncoding.label(charset, of: units) else { return }
      isLabeled = true
      let isKnown = Library.run(state, context.pointee.sax?.pointee.serror) {
        SourceEncoding.apply(label, to: context, state.pointee.options)
      }
      if !isKnown { state.pointee.stop(.encoding, "the encoding \(label) is not known") }
    } catch {
      state.pointee.stop(error.kind, error.reason)
    }
  }

  private func parse(_ bytes: UnsafeRawBufferPointer, isLast: Bool) {
    Library.run(state, context.pointee.sax?.pointee.serror) {
      _ = xmlParseChunk(
        context, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), isLast ? 1 : 0)
    }
  }

  private func check() throws(XMLError) {
    guard let failure = state.pointee.failure else { return }
    isComplete = true
    isFinished = true
    rest = Data()
    prolog = nil
    comments = nil
    events.clear()
    throw failure.error
  }
}
