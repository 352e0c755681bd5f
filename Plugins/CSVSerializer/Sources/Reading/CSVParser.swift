public import FoundationEssentials

/// Splits a stream of text into records; it takes chunks of any size.
///
/// ```swift
/// var parser = CSVParser()
/// parser.append(chunk)
/// while let record = try parser.next() { … }   // nil asks for more, or is the end after finish()
/// parser.finish()
/// ```
///
/// It performs no I/O, and holds one chunk and one record. Blank lines are skipped, as is a byte order mark at the start. After an
/// error it returns nil.
public struct CSVParser: Sendable {
  private enum State {
    case fieldStart, plain, quoted
    /// After a quote in a quoted field: the end of the field, or the first of a doubled quote.
    case closingQuote
    /// After CR outside quotes.
    case carriageReturn
    case ended
  }

  private let options: CSVOptions
  private let delimiter: UInt8
  private var state = State.fieldStart
  private var chunk: [UInt8] = []
  private var index = 0
  private var isFinished = false
  private var position = CSVPosition()
  /// The number of bytes of a byte order mark that have been read; nil after the start.
  private var markLength: Int? = 0

  private var field: [UInt8] = []
  private var fieldPosition = CSVPosition()
  private var fields: [String] = []
  private var positions: [CSVPosition] = []
  private var recordBytes = 0
  private var recordCount = 0
  /// The number of fields of the first record.
  private var width: Int?

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Creates a parser at the start of a text.
  ///
  /// ``CSVOptions/hasHeader`` has no influence: a header is returned like any record.
  public init(options: CSVOptions = CSVOptions()) {
    self.options = options
    delimiter = options.delimiter.rawValue
  }

  /// Adds the next bytes of the text.
  ///
  /// Call it when ``next()`` returns nil, so that only one chunk is held at a time.
  public mutating func append(_ bytes: Data) {
    chunk.removeFirst(index)
    index = 0
    chunk.append(contentsOf: bytes)
  }

  /// Declares the end of the text, so that ``next()`` returns the last record.
  public mutating func finish() { isFinished = true }

  /// Returns the next record; nil when more bytes are needed, at the end, and after an error.
  ///
  /// - Throws: ``CSVError`` with the line and the column.
  public mutating func next() throws(CSVError) -> CSVRecord? {
    do throws(CSVError) {
      while state != .ended, index < chunk.count {
        let byte = chunk[index]
        index += 1
        if markLength != nil, skipsMark(byte) { continue }
        if try read(byte) { return try takeRecord() }
      }
      guard isFinished, state != .ended else { return nil }
      return try lastRecord()
    } catch {
      state = .ended
      throw error
    }
  }

  /// Returns whether the byte belongs to a byte order mark at the start of the text.
  private mutating func skipsMark(_ byte: UInt8) -> Bool {
    guard let length = markLength else { return false }
    guard byte == Self.byteOrderMark[length] else {
      // What looked like the beginning of a mark is text.
      if length > 0 { startField(.plain) }
      field += Self.byteOrderMark.prefix(length)
      markLength = nil
      return false
    }
    markLength = length + 1 < Self.byteOrderMark.count ? length + 1 : nil
    return true
  }

  /// Reads one byte; returns whether it ends a record.
  private mutating func read(_ byte: UInt8) throws(CSVError) -> Bool {
    let place = position
    advance(byte)
    recordBytes += 1
    guard recordBytes <= options.maximumRecordBytes else { throw CSVError(.recordTooLong, at: recordStart) }
    switch (state, byte) {
    case (.carriageReturn, 0x0A): return endLine()
    case (.carriageReturn, _): throw CSVError(.loneCarriageReturn, at: carriageReturn(before: place))
    case (.quoted, 0x22): state = .closingQuote
    case (.quoted, _): field.append(byte)
    case (.closingQuote, 0x22):
      field.append(byte)
      state = .quoted
    case (.fieldStart, 0x22):
      fieldPosition = place
      state = .quoted
    case (.plain, 0x22): throw CSVError(.quoteInPlainField, at: place)
    case (_, delimiter):
      if state == .fieldStart { fieldPosition = place }
      try endField()
    case (_, 0x0D), (_, 0x0A):
      let isBlank = state == .fieldStart && fields.isEmpty
      if state == .fieldStart { fieldPosition = place }
      if !isBlank { try endField() }
      if byte == 0x0A { return endLine() }
      state = .carriageReturn
    case (.closingQuote, _): throw CSVError(.textAfterQuote, at: place)
    default:
      if state == .fieldStart { startField(.plain, at: place) }
      field.append(byte)
    }
    return false
  }

  private var recordStart: CSVPosition { positions.first ?? fieldPosition }

  private func carriageReturn(before place: CSVPosition) -> CSVPosition {
    CSVPosition(line: place.line, column: place.column - 1)
  }

  private mutating func advance(_ byte: UInt8) {
    if byte == 0x0A {
      position = CSVPosition(line: position.line + 1, column: 1)
    } else if byte & 0xC0 != 0x80 {
      position.column += 1
    }
  }

  private mutating func startField(_ state: State, at place: CSVPosition = CSVPosition()) {
    fieldPosition = place
    self.state = state
  }

  private mutating func endField() throws(CSVError) {
    guard fields.count < options.maximumFields else { throw CSVError(.tooManyFields, at: fieldPosition) }
    guard let text = String(validating: field, as: UTF8.self) else { throw CSVError(.invalidUTF8, at: fieldPosition) }
    fields.append(text)
    positions.append(fieldPosition)
    field.removeAll(keepingCapacity: true)
    state = .fieldStart
  }

  /// Ends a line; returns whether it was the last one of a record.
  private mutating func endLine() -> Bool {
    state = .fieldStart
    if fields.isEmpty { recordBytes = 0 }
    return !fields.isEmpty
  }

  private mutating func lastRecord() throws(CSVError) -> CSVRecord? {
    if let length = markLength, length > 0 { throw CSVError(.invalidUTF8, at: CSVPosition()) }
    switch state {
    case .quoted: throw CSVError(.unterminatedQuote, at: fieldPosition)
    case .carriageReturn: throw CSVError(.loneCarriageReturn, at: carriageReturn(before: position))
    case .fieldStart where fields.isEmpty: break
    default:
      if state == .fieldStart { fieldPosition = position }
      try endField()
    }
    state = .ended
    return fields.isEmpty ? nil : try takeRecord()
  }

  private mutating func takeRecord() throws(CSVError) -> CSVRecord {
    recordCount += 1
    let record = CSVRecord(fields: fields, number: recordCount, positions: positions)
    fields = []
    positions = []
    recordBytes = 0
    let width = width ?? record.fields.count
    self.width = width
    guard record.fields.count == width || options.allowsUnequalRecords else {
      throw CSVError(.unequalRecord, at: record.position(of: 0))
    }
    return record
  }
}
