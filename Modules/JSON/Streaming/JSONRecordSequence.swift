public import FoundationEssentials

/// The values of a stream of JSON texts, read as its chunks arrive.
///
/// It is created by ``_Concurrency/AsyncSequence/jsonLines(options:)`` and its relatives. It reads a chunk only when a
/// value is requested, and holds one chunk and one record at a time. It throws ``JSONRecordError`` for an invalid
/// record, which for a session's sequence is the cause of a `NetworkError`, and any error of the stream.
public struct JSONRecordSequence<Base: AsyncSequence, Element: Sendable>: AsyncSequence where Base.Element == Data {
  private let base: Base
  private let framing: JSONFraming
  private let options: JSONRecordOptions
  private let read: @Sendable (JSONRecord, JSONParsingOptions) throws -> Element
  /// What it throws for an invalid record; nil throws the error itself.
  package var failure: (@Sendable (JSONRecordError) -> any Error)?

  init(
    _ base: Base, framing: JSONFraming, options: JSONRecordOptions,
    read: @escaping @Sendable (JSONRecord, JSONParsingOptions) throws -> Element
  ) {
    self.base = base
    self.framing = framing
    self.options = options
    self.read = read
  }

  /// Starts reading the stream.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      base: base.makeAsyncIterator(), framer: JSONRecordFramer(framing, options: options), framing: framing,
      options: options, read: read, failure: failure)
  }

  /// Reads one value after the other.
  public struct Iterator: AsyncIteratorProtocol {
    private var base: Base.AsyncIterator
    private var framer: JSONRecordFramer
    private let framing: JSONFraming
    private let options: JSONRecordOptions
    private let read: @Sendable (JSONRecord, JSONParsingOptions) throws -> Element
    private let failure: (@Sendable (JSONRecordError) -> any Error)?
    private var isFinished = false

    fileprivate init(
      base: Base.AsyncIterator, framer: JSONRecordFramer, framing: JSONFraming, options: JSONRecordOptions,
      read: @escaping @Sendable (JSONRecord, JSONParsingOptions) throws -> Element,
      failure: (@Sendable (JSONRecordError) -> any Error)?
    ) {
      self.base = base
      self.framer = framer
      self.framing = framing
      self.options = options
      self.read = read
      self.failure = failure
    }

    /// Returns the next value; nil at the end of the stream and after an error.
    public mutating func next() async throws -> Element? {
      try await next(isolation: nil)
    }

    /// Returns the next value; nil at the end of the stream and after an error.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
      while true {
        do {
          if let record = try framer.next() { return try value(of: record) }
        } catch let error as JSONRecordError {
          try handle(error)
          continue
        }
        if isFinished { return nil }
        if let chunk = try await base.next(isolation: actor) {
          framer.append(chunk)
        } else {
          isFinished = true
          framer.finish()
        }
      }
    }

    private func value(of record: JSONRecord) throws -> Element {
      var parsing = options.parsing
      // A byte order mark may start the stream, but not each record.
      if record.offset > 0 { parsing.allowsByteOrderMark = false }
      do {
        return try read(record, parsing)
      } catch {
        throw JSONRecordError(
          .invalid, framing: framing, number: record.number, offset: record.offset, underlyingError: error)
      }
    }

    private mutating func handle(_ error: JSONRecordError) throws {
      switch options.invalidRecords {
      case .skip(let report): report(error)
      case .stop:
        isFinished = true
        framer = JSONRecordFramer(framing)
        throw failure?(error) ?? error
      }
    }
  }
}

extension JSONRecordSequence: Sendable where Base: Sendable {}

extension AsyncSequence where Element == Data {
  /// Returns the values of a stream in JSON Lines (NDJSON), one a line.
  public func jsonLines(options: JSONRecordOptions = JSONRecordOptions()) -> JSONRecordSequence<Self, JSONValue> {
    jsonRecords(.lines, options: options)
  }

  /// Returns the values of a stream in JSON Lines (NDJSON), decoded as `type`.
  public func jsonLines<Value: Decodable & Sendable>(
    as type: Value.Type, decoder: JSONValueDecoder = JSONValueDecoder(),
    options: JSONRecordOptions = JSONRecordOptions()
  ) -> JSONRecordSequence<Self, Value> {
    jsonRecords(.lines, as: type, decoder: decoder, options: options)
  }

  /// Returns the values of a JSON text sequence (RFC 7464).
  public func jsonTextSequence(
    options: JSONRecordOptions = JSONRecordOptions()
  ) -> JSONRecordSequence<Self, JSONValue> {
    jsonRecords(.textSequence, options: options)
  }

  /// Returns the values of a JSON text sequence (RFC 7464), decoded as `type`.
  public func jsonTextSequence<Value: Decodable & Sendable>(
    as type: Value.Type, decoder: JSONValueDecoder = JSONValueDecoder(),
    options: JSONRecordOptions = JSONRecordOptions()
  ) -> JSONRecordSequence<Self, Value> {
    jsonRecords(.textSequence, as: type, decoder: decoder, options: options)
  }

  private func jsonRecords(
    _ framing: JSONFraming, options: JSONRecordOptions
  ) -> JSONRecordSequence<Self, JSONValue> {
    JSONRecordSequence(self, framing: framing, options: options) { record, parsing in
      try JSONValue(parsing: record.bytes, options: parsing)
    }
  }

  private func jsonRecords<Value: Decodable & Sendable>(
    _ framing: JSONFraming, as type: Value.Type, decoder: JSONValueDecoder, options: JSONRecordOptions
  ) -> JSONRecordSequence<Self, Value> {
    JSONRecordSequence(self, framing: framing, options: options) { record, parsing in
      try decoder.decode(type, from: JSONValue(parsing: record.bytes, options: parsing))
    }
  }
}
