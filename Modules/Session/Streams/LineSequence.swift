public import CurlewCore
public import FoundationEssentials

extension NetworkError.Kind {
  /// A line of a response is longer than `LineOptions.maximumBytes`.
  public static let lineTooLong = NetworkError.Kind(rawValue: "line-too-long")
}

/// The limits of a sequence of lines.
public struct LineOptions: Sendable, Hashable {
  /// The most bytes of a line without its end; 1 MiB by default.
  ///
  /// At most this and one chunk are held in memory.
  public var maximumBytes = 1 << 20

  /// Creates the default limits.
  public init() {}
}

/// The lines of a stream of bytes as text.
///
/// Lines end with LF, CR or CR LF; the last line may end with the stream. The text is UTF-8: a byte order mark at the start is
/// omitted, and invalid bytes become U+FFFD. All other characters are kept, including NUL. A chunk is read only when a line is
/// requested.
public struct LineSequence<Base: AsyncSequence>: AsyncSequence where Base.Element == Data {
  /// A line without its end.
  public typealias Element = String

  private let base: Base
  private let options: LineOptions
  /// Adds to an error the request whose response is read.
  var naming: @Sendable (any Error) -> any Error = { $0 }

  init(_ base: Base, _ options: LineOptions) {
    self.base = base
    self.options = options
  }

  /// Starts reading the stream.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      base: base.makeAsyncIterator(), splitter: LineSplitter(maximumBytes: options.maximumBytes), naming: naming)
  }

  /// Iterates over the lines.
  public struct Iterator: AsyncIteratorProtocol {
    private var base: Base.AsyncIterator
    private var splitter: LineSplitter
    private let naming: @Sendable (any Error) -> any Error
    private var isFinished = false

    fileprivate init(
      base: Base.AsyncIterator, splitter: LineSplitter, naming: @escaping @Sendable (any Error) -> any Error
    ) {
      self.base = base
      self.splitter = splitter
      self.naming = naming
    }

    /// Returns the next line; nil at the end of the stream and after an error.
    ///
    /// - Throws: `NetworkError` of kind `lineTooLong`; the error of the stream.
    public mutating func next() async throws -> String? { try await next(isolation: nil) }

    /// Returns the next line; nil at the end of the stream and after an error.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> String? {
      while true {
        do throws(LineTooLongError) {
          if let line = try splitter.next() { return text(of: line) }
        } catch {
          finish()
          throw naming(
            NetworkError(
              .lineTooLong, stage: .receivingBody, message: "The response cannot be read by lines: \(error).",
              advice: "If such lines are right, raise `LineOptions.maximumBytes`.", underlying: error))
        }
        if isFinished { return nil }
        do {
          if let chunk = try await base.next(isolation: actor) {
            splitter.append(chunk)
          } else {
            isFinished = true
            splitter.finish()
          }
        } catch {
          finish()
          throw error
        }
      }
    }

    /// Ends the sequence, and drops the start of a line that was cut off.
    private mutating func finish() {
      isFinished = true
      splitter = LineSplitter()
    }

    private func text(of line: Data) -> String {
      String(decoding: splitter.count == 1 ? line.droppingByteOrderMark : line, as: UTF8.self)
    }
  }
}

extension LineSequence: Sendable where Base: Sendable {}

extension AsyncSequence where Element == Data {
  /// Returns the lines of this stream as text in UTF-8.
  public func lines(_ options: LineOptions = LineOptions()) -> LineSequence<Self> { LineSequence(self, options) }
}

extension Data {
  /// These bytes without a leading byte order mark of UTF-8.
  var droppingByteOrderMark: Data { starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self }
}
