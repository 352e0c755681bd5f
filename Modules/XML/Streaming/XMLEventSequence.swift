public import CurlewCore
public import FoundationEssentials

extension AsyncSequence where Element == Data {
  /// Parses a document that arrives in chunks into events, in constant memory.
  ///
  /// ```swift
  /// for try await event in response.body.xmlEvents() { … }
  /// ```
  ///
  /// - Parameter charset: The encoding, if it is known from outside, such as `response.head.charset`.
  public func xmlEvents(
    charset: Charset? = nil, options: XMLParsingOptions = XMLParsingOptions()
  ) -> XMLEventSequence<Self> {
    XMLEventSequence(self, charset: charset, options: options)
  }
}

/// The events of a document, read as its chunks arrive.
///
/// It is created by ``_Concurrency/AsyncSequence/xmlEvents(charset:options:)``. It reads a chunk only when an event is
/// requested. It throws ``XMLError`` when the document is not well-formed, possibly after many events, and any error of
/// the stream.
public struct XMLEventSequence<Base: AsyncSequence>: AsyncSequence where Base.Element == Data {
  /// The elements of the sequence.
  public typealias Element = XMLEvent

  private let base: Base
  private let charset: Charset?
  private let options: XMLParsingOptions

  init(_ base: Base, charset: Charset?, options: XMLParsingOptions) {
    self.base = base
    self.charset = charset
    self.options = options
  }

  /// Starts reading the stream.
  public func makeAsyncIterator() -> Iterator { Iterator(base.makeAsyncIterator(), charset, options) }

  /// Reads one event after the other.
  public struct Iterator: AsyncIteratorProtocol {
    private var base: Base.AsyncIterator
    private let charset: Charset?
    private let options: XMLParsingOptions
    private var parser: XMLEventParser?
    private var isFinished = false

    fileprivate init(_ base: Base.AsyncIterator, _ charset: Charset?, _ options: XMLParsingOptions) {
      self.base = base
      self.charset = charset
      self.options = options
    }

    /// Returns the next event; nil at the end of the document and after an error.
    public mutating func next() async throws -> XMLEvent? {
      try await next(isolation: nil)
    }

    /// Returns the next event; nil at the end of the document and after an error.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> XMLEvent? {
      let parser = try self.parser ?? XMLEventParser(charset: charset, options: options)
      self.parser = parser
      do {
        while true {
          if let event = try parser.next() { return event }
          if isFinished { return nil }
          if let chunk = try await base.next(isolation: actor) {
            try parser.append(chunk)
          } else {
            isFinished = true
            try parser.finish()
          }
        }
      } catch {
        isFinished = true
        throw error
      }
    }
  }
}

extension XMLEventSequence: Sendable where Base: Sendable {}

/// A part of a document, in parsing order.
public enum XMLEvent: Sendable, Hashable {
  /// The start of an element.
  ///
  /// It has the attributes in document order, including defaults, and the namespace declarations.
  case startElement(XMLName, attributes: [XMLAttribute], declarations: [XMLNamespaceDeclaration])
  /// The end of an element.
  case endElement(XMLName)
  /// Text, including that of CDATA sections and entities.
  ///
  /// A long text is split into events of about 64 KiB.
  case text(String)
  /// A comment, without its delimiters.
  case comment(String)
  /// A processing instruction.
  case processingInstruction(target: String, data: String)
}
