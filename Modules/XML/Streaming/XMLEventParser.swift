import CLibxml2
public import CurlewCore
public import FoundationEssentials
import Glibc

/// Parses a document that arrives in pieces into events, in constant memory.
///
/// ```swift
/// let parser = try XMLEventParser()
/// for chunk in chunks {
///   try parser.append(chunk)
///   while let event = try parser.next() { … }
/// }
/// try parser.finish()
/// while let event = try parser.next() { … }
/// ```
///
/// It holds one piece and its events, the document's declarations, and at most one incomplete token, whose size libxml2
/// limits to 10 MB. The part before the element, and a comment after it, may have 8 MiB; beyond that an ``XMLError`` of
/// kind `tooLarge` is thrown. Use it from one task at a time.
public final class XMLEventParser {
  /// The number of bytes parsed at once, so that few events are queued.
  private static let pieceBytes = 16_384
  /// The maximum size in bytes of the prolog, and of a comment after the element.
  ///
  /// Both are kept until their end has arrived. libxml2 does not look for an end more than 10 MB away.
  var keptBytes = 8 << 20

  private let context: xmlParserCtxtPtr
  private let state: UnsafeMutablePointer<ParserState>
  private let events = EventQueue()
  private let charset: Charset?
  /// Bytes that are not parsed yet.
  private var rest = Data()
  /// The part before the element, kept to be parsed as a whole; nil afterwards.
  ///
  /// If libxml2 receives the declaration in pieces, it ignores quotes when it looks for its end.
  private var prolog: Data? = Data()
  /// The size at which the prolog is examined again.
  ///
  /// It grows, so that tiny chunks stay cheap.
  private var nextLook = 0
  /// The input of the parser; nil before the first bytes have revealed the encoding.
  private var comments: OuterComments?
  private var openTag = (position: -1, scanned: 0, counter: AttributeCounter())
  /// Whether `finish` was called.
  private var isComplete = false
  /// Whether the end was checked, or an error has ended the parsing.
  private var isFinished = false

  /// Creates a parser at the start of a document.
  ///
  /// - Parameters:
  ///   - charset: The encoding, if it is known from outside, such as from `Content-Type`. It overrides the document's
  ///     declaration, and a byte order mark overrides it (RFC 7303 §3).
  /// - Throws: ``XMLError`` of kind `outOfMemory`.
  public init(charset: Charset? = nil, options: XMLParsingOptions = XMLParsingOptions()) throws(XMLError) {
    self.charset = charset
    Library.prepare()
    guard let context = xmlCreatePushParserCtxt(nil, nil, nil, 0, nil) else {
      throw XMLError(.outOfMemory, line: 1, column: 1, "there is not enough memory for a parser")
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

  /// Adds the next bytes; call it when ``next()`` has returned nil.
  ///
  /// - Throws: ``XMLError`` with line and column; the document has then ended.
  public func append(_ chunk: Data) throws(XMLError) {
    guard !isComplete else { return }
    if rest.isEmpty { rest = chunk } else { rest.append(chunk) }
    if canParse { try parsePiece() }
  }

  /// Returns the next event; nil at the end, or when more bytes are needed.
  ///
  /// - Throws: ``XMLError`` with line and column; the document has then ended.
  public func next() throws(XMLError) -> XMLEvent? {
    while true {
      if let event = events.next() { return event }
      guard canParse else { return nil }
      try parsePiece()
    }
  }

  /// Declares the end of the document, so that ``next()`` returns the last events.
  ///
  /// - Throws: ``XMLError`` with line and column when the document is incomplete or not well-formed.
  public func finish() throws(XMLError) {
    isComplete = true
    while canParse { try parsePiece() }
    if prolog?.isEmpty == false { try parsePiece() }
    guard !isFinished else { return }
    isFinished = true
    guard state.pointee.receivedBytes > 0 else {
      throw XMLError(.empty, line: 1, column: 1, "the document is empty; expected an element")
    }
    if let rest = comments?.rest(), !rest.isEmpty { rest.withUnsafeBytes { parse($0, isLast: false) } }
    parse(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true)
    checkText()
    try check()
    let end = state.pointee.position
    if context.pointee.wellFormed != 1 || context.pointee.nsWellFormed != 1 {
      fail(.malformed, "the document is not well-formed XML", at: end)
    } else if let input = context.pointee.input, input.pointee.cur < input.pointee.end {
      fail(
        .malformed, "expected only comments, processing instructions and white space after the document's element",
        at: end)
    } else if curlew_xml_unconverted(context) > 0 || isCut {
      fail(.truncated, "the document ends within a character", at: end)
    }
    try check()
  }

  private func fail(_ kind: XMLError.Kind, _ reason: String, at position: SourcePosition) {
    state.pointee.failure = ParseFailure(kind: kind, reason: reason, position: position)
  }

  /// The width of a code unit, determined by the first bytes.
  private var unitWidth: Int?
  private var isCut: Bool { state.pointee.receivedBytes % (unitWidth ?? 1) != 0 }

  /// Whether there is input to parse.
  ///
  /// The first four bytes reveal the encoding and must be parsed together.
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
        state.pointee.stop(.malformed, "XML does not allow the character U+0000")
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

  /// Whether libxml2 has parsed all its input and is outside the outermost element.
  private var isOutside: Bool {
    switch context.pointee.instate {
    case XML_PARSER_MISC, XML_PARSER_PROLOG, XML_PARSER_EPILOG: break
    default: return false
    }
    // A carriage return is held back until the next character arrives.
    guard let input = context.pointee.input?.pointee, var next = input.cur, let end = input.end else { return false }
    while next < end, next.pointee.isXMLSpace { next += 1 }
    return next == end
  }

  /// Returns the ranges of the prolog that libxml2 would misread.
  ///
  /// Nil until the prolog is complete.
  private func misreadWhenReady(_ beginning: Data) -> [Range<Int>]? {
    let isWhole = isComplete && rest.isEmpty
    guard beginning.count >= nextLook || isWhole else { return nil }
    nextLook = min(beginning.count < 1024 ? beginning.count + 1 : beginning.count * 2, keptBytes)
    // No more than `keptBytes` are examined, so that the result does not depend on the sizes of the chunks.
    return beginning.prefix(keptBytes).withUnsafeBytes { bytes in
      let units = CodeUnits(bytes)
      let encoding: SourceEncoding
      do throws(XMLError) {
        encoding = try SourceEncoding(charset, of: units)
      } catch {
        state.pointee.failure = ParseFailure(error)
        return []
      }
      var found: [Range<Int>] = []
      switch PrologCheck.outcome(in: units, encoding) {
      case .passed(let misread):
        found = misread.map { $0 * units.form.width..<($0 + 1) * units.form.width }
      case .incomplete:
        if beginning.count >= keptBytes {
          state.pointee.stop(.tooLarge, "the part before the document's element is longer than \(keptBytes) bytes")
        } else if !isWhole {
          return nil
        }
      case .failed(let failure): state.pointee.failure = failure
      }
      if state.pointee.failure == nil {
        state.pointee.failure = AttributeCheck.failure(in: units, encoding, state.pointee.options)
      }
      return found
    }
  }

  /// Replaces the characters that libxml2 would misread with `|`.
  ///
  /// They are in literals, comments and instructions of the DTD, which produce no events. A space, a letter or `#` could
  /// make a faulty instruction or public identifier a valid one: `<?p"?>`.
  private static func blank(_ characters: [Range<Int>], of beginning: inout Data) {
    guard !characters.isEmpty else { return }
    var bytes = [UInt8](beginning)
    for range in characters {
      for index in range where bytes[index] != 0 { bytes[index] = UInt8(ascii: "|") }
    }
    beginning = Data(bytes)
  }

  /// Rejects invalid UTF-8 in CDATA sections.
  ///
  /// libxml2 accepts some of it when the section arrives in pieces.
  private func checkText() {
    if events.isMalformed { state.pointee.stop(.encoding, "the text is not UTF-8") }
  }

  /// Counts the attributes of a tag whose end has not arrived.
  ///
  /// A tag that arrived in one piece is too short to have too many.
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
      state.pointee.stop(.attributes)
    }
  }

  /// Determines the encoding from the first bytes.
  private func begin(_ units: CodeUnits) {
    unitWidth = units.form.width
    comments = OuterComments(units.form, limit: keptBytes)
    do throws(XMLError) {
      let encoding = try SourceEncoding(charset, of: units)
      let isKnown = Library.run(state, Callbacks.report) { encoding.apply(to: context) }
      if !isKnown {
        state.pointee.stop(.encoding, "the system does not support the encoding \(encoding.label ?? "")")
      }
    } catch {
      state.pointee.stop(error.kind, error.reason)
    }
  }

  private func parse(_ bytes: UnsafeRawBufferPointer, isLast: Bool) {
    Library.run(state, Callbacks.report) {
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
