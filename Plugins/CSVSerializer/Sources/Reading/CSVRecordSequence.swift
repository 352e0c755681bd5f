public import FoundationEssentials

/// The records or rows of a stream of text, read as its chunks arrive.
///
/// It is created by `csvRecords` and `csvRows`. It reads a chunk only when a record is requested, and holds one chunk and one record.
/// It throws ``CSVError`` for an invalid record, and any error of the stream; then it ends.
public struct CSVRecordSequence<Base: AsyncSequence, Element: Sendable>: AsyncSequence where Base.Element == Data {
  /// Makes an element of a record, or remembers its fields as the columns and returns nil.
  typealias Read = @Sendable (CSVRecord, inout CSVColumns?) throws -> Element?

  private let base: Base
  private let options: CSVOptions
  private let read: Read

  init(_ base: Base, _ options: CSVOptions, read: @escaping Read) {
    self.base = base
    self.options = options
    self.read = read
  }

  /// Starts reading the stream.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), parser: CSVParser(options: options), read: read)
  }

  /// Reads one record after the other.
  public struct Iterator: AsyncIteratorProtocol {
    private var base: Base.AsyncIterator
    private var parser: CSVParser
    private var columns: CSVColumns?
    private let read: Read
    private var isFinished = false
    private var hasFailed = false

    fileprivate init(base: Base.AsyncIterator, parser: CSVParser, read: @escaping Read) {
      self.base = base
      self.parser = parser
      self.read = read
    }

    /// Returns the next element; nil at the end of the stream and after an error.
    public mutating func next() async throws -> Element? { try await next(isolation: nil) }

    /// Returns the next element; nil at the end of the stream and after an error.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
      guard !hasFailed else { return nil }
      do {
        while true {
          while let record = try parser.next() {
            if let element = try read(record, &columns) { return element }
          }
          if isFinished { return nil }
          if let chunk = try await base.next(isolation: actor) {
            parser.append(chunk)
          } else {
            isFinished = true
            parser.finish()
          }
        }
      } catch {
        hasFailed = true
        throw error
      }
    }
  }
}

extension CSVRecordSequence: Sendable where Base: Sendable {}

extension AsyncSequence where Element == Data {
  /// Returns the records of a text in UTF-8, a header among them.
  public func csvRecords(options: CSVOptions = CSVOptions()) -> CSVRecordSequence<Self, CSVRecord> {
    CSVRecordSequence(self, options) { record, _ in record }
  }

  /// Returns the rows of a text in UTF-8, decoded as `type`.
  ///
  /// The fields are found by the names of the columns, or by their positions when the decoder's options say that there is no header.
  public func csvRows<Row: Decodable & Sendable>(
    as type: Row.Type, decoder: CSVDecoder = CSVDecoder()
  ) -> CSVRecordSequence<Self, Row> {
    let hasHeader = decoder.options.hasHeader
    return CSVRecordSequence(self, decoder.options) { record, columns in
      if hasHeader, columns == nil {
        columns = try CSVColumns(record)
        return nil
      }
      let index = record.number - (hasHeader ? 2 : 1)
      return try RowDecoder(record, at: index, columns, decoder.userInfo).decode(type)
    }
  }
}
