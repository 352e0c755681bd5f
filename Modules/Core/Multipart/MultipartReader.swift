public import FoundationEssentials
public import HTTPTypes

/// Parses a multipart body as its bytes arrive (RFC 2046 §5.1, RFC 7578).
///
/// It is a push parser without I/O for `multipart/form-data`, `mixed`, `byteranges` and `x-mixed-replace`. Feed it chunks of
/// any size, and take events until there are no more:
///
/// ```swift
/// var reader = try MultipartReader(boundary: "gc0p4Jq0M2Yt08j34c0p")
/// for chunk in chunks {
///   reader.feed(chunk)
///   while let event = try reader.next() { handle(event) }
/// }
/// reader.end()
/// while let event = try reader.next() { handle(event) }
/// ```
///
/// The way in which the input is cut affects only how body bytes are cut into events. The reader keeps an incomplete header or
/// the beginning of a delimiter, but never a body.
///
/// The rules of parsing are:
/// * A delimiter is a line break, `--`, the boundary, blanks and a line break. If anything else follows the boundary, the line
///   is content. `--` after the boundary closes the body, whatever follows.
/// * The first delimiter line determines the line breaks. If it ends with CR LF, only CR LF counts from there on, and a
///   boundary after a bare LF is content. If it ends with a bare LF, as from some old senders, LF counts.
/// * Preamble and epilogue are dropped. A body without parts is valid if it begins with the closing delimiter. If other text
///   precedes that, the boundary is probably wrong, and the error is ``MultipartError/Kind/missingDelimiter``.
/// * A body that ends before its closing delimiter is ``MultipartError/Kind/truncated``, after the events of the bytes so far.
///   That includes an `x-mixed-replace` stream that the server simply ends.
/// * `Content-Length` and transfer encodings of a part are ignored.
public struct MultipartReader: Sendable {
  /// An event in the body.
  public enum Event: Sendable, Hashable {
    /// A part began; its header is complete.
    case partBegan(HTTPFields)
    /// Bytes of the current part's body, at least one; their indices begin at 0.
    case body(Data)
    /// The current part is complete.
    case partEnded
    /// The closing delimiter was read; no event follows.
    case finished
  }

  private enum State {
    case preamble
    case header
    /// The body of a part.
    ///
    /// The line break that ends the header stays in the input, because a delimiter may follow at once. It is not content.
    case body(lineBreak: Int)
    case closed
    case epilogue
    case failed(MultipartError)
  }

  private enum Step {
    case again
    case wait
    case event(Event)
  }

  private let boundary: [UInt8]
  private let limits: Limits
  private var delimiter: MultipartDelimiter
  private var state = State.preamble
  private var header = MultipartHeader()
  private var parts = 0
  private var preambleHasText = false
  private var ended = false
  /// The bytes that were fed; those before `cursor` are processed.
  ///
  /// They begin with an added line break, so that a boundary at the start of the body is found like any other.
  private var input = Data([0x0D, 0x0A])
  private var cursor = 0
  /// The end of the range of the header line that contains no line feed.
  private var scanned = 0
  /// The offset of the input in the body.
  private var offset = -2

  /// Creates a reader for a body with the given boundary.
  ///
  /// - Parameters:
  ///   - boundary: The value of the `boundary` parameter of `Content-Type`, without quotes and without the two hyphens.
  ///   - limits: The limits beyond which reading fails.
  /// - Throws: ``MultipartError/Kind/invalidBoundary``.
  public init(boundary: String, limits: Limits = Limits()) throws(MultipartError) {
    self.boundary = try MultipartBoundary.bytes(of: boundary, limit: limits.boundaryCharacters)
    self.limits = limits
    delimiter = MultipartDelimiter(
      boundary: self.boundary, lineBreak: .bareLineFeed, paddingLimit: limits.paddingBytes)
  }

  /// Whether the closing delimiter was read.
  public var isFinished: Bool {
    if case .epilogue = state { true } else { false }
  }

  /// The number of bytes of the body that are processed.
  public var position: Int { max(0, offset + cursor) }

  /// Adds bytes of the body.
  ///
  /// Before adding more, call ``next()`` until it returns nil; otherwise unread bytes accumulate.
  public mutating func feed(_ chunk: Data) {
    switch state {
    case .epilogue, .failed: return
    default: break
    }
    if cursor == input.count {
      offset += cursor
      // Events promise indices from 0, and a chunk may be delivered unchanged.
      input = chunk.startIndex == 0 ? chunk : Data(chunk)
    } else {
      if cursor > 0 {
        offset += cursor
        input = Data(input[cursor...])
      }
      input.append(chunk)
    }
    scanned = max(0, scanned - cursor)
    cursor = 0
  }

  /// Declares that the body has no more bytes.
  public mutating func end() {
    ended = true
  }

  /// Returns the next event.
  ///
  /// Nil when more bytes are needed, and after ``Event/finished``.
  ///
  /// - Throws: ``MultipartError`` when the body is malformed or exceeds a limit, or when it is incomplete after ``end()``.
  ///   Later calls throw the same error.
  public mutating func next() throws(MultipartError) -> Event? {
    do throws(MultipartError) {
      if let event = try step() { return event }
      if ended, !isFinished {
        let isPreamble = if case .preamble = state { true } else { false }
        throw MultipartError(isPreamble ? .missingDelimiter : .truncated, at: offset + input.count)
      }
      return nil
    } catch {
      state = .failed(error)
      input = Data()
      cursor = 0
      throw error
    }
  }

  private mutating func step() throws(MultipartError) -> Event? {
    while true {
      let step =
        switch state {
        case .preamble: try readPreamble()
        case .header: try readHeaderLine()
        case .body(let lineBreak): try readBody(lineBreak: lineBreak)
        case .closed: finish()
        case .epilogue: Step.wait
        case .failed(let error): throw error
        }
      switch step {
      case .again: continue
      case .wait: return nil
      case .event(let event): return event
      }
    }
  }

  private mutating func readPreamble() throws(MultipartError) -> Step {
    let match = delimiter.find(in: input.span, from: cursor)
    guard offset + match.start <= limits.preambleBytes else {
      throw MultipartError(.preambleTooLong, at: max(0, limits.preambleBytes))
    }
    preambleHasText = preambleHasText || input[cursor..<match.start].contains { $0 != 0x0D && $0 != 0x0A }
    cursor = match.start
    if case .line(_, let endsBareLineFeed) = match, !endsBareLineFeed {
      delimiter = MultipartDelimiter(boundary: boundary, lineBreak: .network, paddingLimit: limits.paddingBytes)
    }
    if case .closing = match, preambleHasText {
      throw MultipartError(.missingDelimiter, at: offset + cursor)
    }
    return try pass(match)
  }

  /// Continues after the match of a search at the cursor.
  private mutating func pass(_ match: MultipartDelimiter.Match) throws(MultipartError) -> Step {
    switch match {
    case .absent:
      return .wait
    case .paddingTooLong(_, let place):
      throw MultipartError(.paddingTooLong, at: offset + place)
    case .closing(let range):
      cursor = range.upperBound
      state = .closed
    case .line(let range, _):
      guard parts < limits.parts else { throw MultipartError(.tooManyParts, at: offset + range.lowerBound) }
      parts += 1
      cursor = range.upperBound
      scanned = cursor
      header = MultipartHeader()
      state = .header
    }
    return .again
  }

  private mutating func readHeaderLine() throws(MultipartError) -> Step {
    let lineFeed = Self.firstLineFeed(in: input.span, from: scanned)
    let size = (lineFeed.map { $0 + 1 } ?? input.count) - cursor
    guard header.byteCount + size <= limits.headerBytes else {
      throw MultipartError(.headerTooLong, at: offset + cursor + max(0, limits.headerBytes - header.byteCount))
    }
    guard let lineFeed else {
      scanned = input.count
      return .wait
    }
    let hasReturn = lineFeed > cursor && input[lineFeed - 1] == 0x0D
    guard hasReturn || delimiter.lineBreak == .bareLineFeed else {
      throw MultipartError(.invalidLineBreak, at: offset + lineFeed)
    }
    let line = Array(input[cursor..<(hasReturn ? lineFeed - 1 : lineFeed)])
    try header.read(line, size: size, at: offset + cursor, limit: limits.headerFields)
    guard line.isEmpty else {
      cursor = lineFeed + 1
      scanned = cursor
      return .again
    }
    cursor = delimiter.lineBreak == .network ? lineFeed - 1 : lineFeed
    state = .body(lineBreak: lineFeed + 1 - cursor)
    return .event(.partBegan(header.fields))
  }

  private static func firstLineFeed(in bytes: borrowing Span<UInt8>, from start: Int) -> Int? {
    for place in start..<max(start, bytes.count) where bytes[place] == 0x0A { return place }
    return nil
  }

  private mutating func readBody(lineBreak: Int) throws(MultipartError) -> Step {
    let match = delimiter.find(in: input.span, from: cursor)
    let content = cursor + lineBreak
    if match.start > content {
      state = .body(lineBreak: 0)
      return .event(.body(take(content..<match.start)))
    }
    guard case .again = try pass(match) else { return .wait }
    return .event(.partEnded)
  }

  /// Removes bytes from the input and returns them.
  ///
  /// A chunk that consists only of content is returned without copying it.
  private mutating func take(_ range: Range<Int>) -> Data {
    guard range == 0..<input.count else {
      cursor = range.upperBound
      return Data(input[range])
    }
    defer {
      offset += input.count
      input = Data()
      cursor = 0
    }
    return input
  }

  private mutating func finish() -> Step {
    state = .epilogue
    input = Data()
    cursor = 0
    return .event(.finished)
  }
}

extension MultipartReader {
  /// The limits beyond which a multipart body is rejected.
  ///
  /// The bodies of parts and the text after the closing delimiter have no limit, because they are delivered or dropped as they
  /// arrive.
  public struct Limits: Sendable, Hashable {
    /// The most characters of the boundary; by default 70, as in RFC 2046 §5.1.1.
    public var boundaryCharacters: Int
    /// The most bytes before the first delimiter line; by default 16,384.
    public var preambleBytes: Int
    /// The most parts of the body; by default 10,000.
    public var parts: Int
    /// The most bytes of one part's header, with line breaks; by default 16,384.
    public var headerBytes: Int
    /// The most fields of one part's header; by default 64.
    public var headerFields: Int
    /// The most blanks between a boundary and its line break; by default 256.
    public var paddingBytes: Int

    /// Creates limits; each has a default.
    public init(
      boundaryCharacters: Int = 70, preambleBytes: Int = 16_384, parts: Int = 10_000, headerBytes: Int = 16_384,
      headerFields: Int = 64, paddingBytes: Int = 256
    ) {
      self.boundaryCharacters = boundaryCharacters
      self.preambleBytes = preambleBytes
      self.parts = parts
      self.headerBytes = headerBytes
      self.headerFields = headerFields
      self.paddingBytes = paddingBytes
    }
  }
}

/// Collects the header fields of one part, line by line (RFC 2045 §3, RFC 9110 §5).
struct MultipartHeader: Sendable {
  private(set) var fields = HTTPFields()
  /// The bytes of the lines so far, including line breaks.
  private(set) var byteCount = 0
  private var name: HTTPField.Name?
  private var value: [UInt8] = []
  private var fieldCount = 0

  /// Reads one line without its line break.
  ///
  /// - Parameters:
  ///   - size: The number of bytes, including the line break.
  ///   - position: The offset of the line in the body.
  mutating func read(_ line: [UInt8], size: Int, at position: Int, limit: Int) throws(MultipartError) {
    byteCount += size
    guard let first = line.first else { return finishField() }
    guard !FieldSyntax.isWhitespace(first) else {
      // A line that begins with a blank continues the field before it (RFC 5322 §2.2.3).
      guard name != nil else { throw MultipartError(.invalidFieldName, at: position) }
      value.append(UInt8(ascii: " "))
      return try readValue(line[...], at: position)
    }
    finishField()
    guard fieldCount < limit else { throw MultipartError(.tooManyFields, at: position) }
    fieldCount += 1
    let end = line.firstIndex { !FieldSyntax.isToken($0) } ?? line.count
    guard end > 0, end < line.count, line[end] == UInt8(ascii: ":"),
      let name = HTTPField.Name(String(decoding: line[..<end], as: UTF8.self))
    else {
      if first == 0x0D { throw MultipartError(.invalidLineBreak, at: position + 1) }
      throw MultipartError(.invalidFieldName, at: position + end)
    }
    self.name = name
    try readValue(line[(end + 1)...], at: position + end + 1)
  }

  private mutating func readValue(_ bytes: ArraySlice<UInt8>, at position: Int) throws(MultipartError) {
    for (offset, byte) in bytes.enumerated() {
      if byte == 0x0D { throw MultipartError(.invalidLineBreak, at: position + offset + 1) }
      guard byte >= 0x20 && byte != 0x7F || byte == 0x09 else {
        throw MultipartError(.invalidFieldValue, at: position + offset)
      }
    }
    var content = bytes.drop(while: FieldSyntax.isWhitespace)
    while let last = content.last, FieldSyntax.isWhitespace(last) { content.removeLast() }
    value += content
  }

  private mutating func finishField() {
    guard let name else { return }
    fields.append(HTTPField(name: name, value: value))
    self.name = nil
    value = []
  }
}
