public import FoundationEssentials

/// Reads the events of an event stream (WHATWG HTML §9.2.6); it takes chunks of any size.
///
/// ```swift
/// var parser = EventStreamParser()
/// parser.append(chunk)
/// while let event = try parser.next() { print(event.type, event.data) }
/// ```
///
/// It performs no I/O, holds one chunk, one line and one event, and never throws but for its limits: any bytes are an event
/// stream. An event that the end of the stream cuts off is not an event.
public struct EventStreamParser: Sendable {
  /// The identifier of the last event; empty when there is none.
  ///
  /// A reconnection sends it as `Last-Event-ID`.
  public private(set) var lastEventID: String
  /// The time before a reconnection that the server asks for; nil when it asks for none.
  public private(set) var reconnectionTime: Duration?

  private let limits: EventStreamLimits
  private var splitter: LineSplitter
  private var eventID: String
  private var type = ""
  /// The data of the event, each line with an LF behind it.
  private var data = Data()
  /// Whether the event is refused and skipped up to its end.
  private var skipsEvent = false

  /// Creates a parser at the start of a stream.
  ///
  /// - Parameter lastEventID: The identifier that the stream continues behind. The standard starts with none and so forgets
  ///   where it was when a server that is asked to continue sends an event without an identifier; browsers keep it.
  public init(lastEventID: String = "", limits: EventStreamLimits = EventStreamLimits()) {
    self.lastEventID = lastEventID
    self.limits = limits
    eventID = lastEventID
    splitter = LineSplitter(maximumBytes: limits.maximumLineBytes)
  }

  /// Adds the next bytes of the stream.
  ///
  /// Call it when `next()` has returned nil, so that one chunk is held at a time.
  public mutating func append(_ bytes: Data) { splitter.append(bytes) }

  /// Returns the next event; nil when more bytes are needed.
  ///
  /// - Throws: `EventStreamError` for a line or an event above the limits. The next call continues behind that event.
  public mutating func next() throws(EventStreamError) -> ServerSentEvent? {
    while true {
      let line: Data
      do throws(LineTooLongError) {
        guard let next = try splitter.next() else { return nil }
        line = next
      } catch {
        throw skip(.lineTooLong(error))
      }
      if line.isEmpty {
        if let event = dispatch() { return event }
      } else if !skipsEvent {
        try read(splitter.count == 1 ? line.droppingByteOrderMark : line)
      }
    }
  }

  /// Ends the event at an empty line; nil where it has no data.
  private mutating func dispatch() -> ServerSentEvent? {
    defer {
      data = Data()
      type = ""
      skipsEvent = false
    }
    guard !skipsEvent else { return nil }
    lastEventID = eventID
    guard !data.isEmpty else { return nil }
    return ServerSentEvent(
      type: type.isEmpty ? "message" : type, data: String(decoding: data.dropLast(), as: UTF8.self),
      lastEventID: lastEventID)
  }

  /// Reads a line that is not empty: a comment, or a field and its value.
  private mutating func read(_ line: Data) throws(EventStreamError) {
    let colon = line.firstIndex(of: UInt8(ascii: ":"))
    let name = line[..<(colon ?? line.endIndex)]
    var value = colon.map { line[($0 + 1)...] } ?? Data()
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    if name.elementsEqual("data".utf8) {
      guard value.count < limits.maximumEventBytes - data.count else {
        throw skip(.eventTooLarge(limit: limits.maximumEventBytes))
      }
      data.append(value)
      data.append(UInt8(ascii: "\n"))
    } else if name.elementsEqual("event".utf8) {
      type = String(decoding: value, as: UTF8.self)
    } else if name.elementsEqual("id".utf8) {
      if !value.contains(0) { eventID = String(decoding: value, as: UTF8.self) }
    } else if name.elementsEqual("retry".utf8) {
      reconnectionTime = Self.milliseconds(value) ?? reconnectionTime
    }
  }

  private mutating func skip(_ error: EventStreamError) -> EventStreamError {
    skipsEvent = true
    data = Data()
    return error
  }

  /// The time that digits state; nil for anything else. More than a year counts as a year.
  private static func milliseconds(_ digits: Data) -> Duration? {
    guard !digits.isEmpty, digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
    let most: Int64 = 366 * 86_400_000
    return .milliseconds(
      digits.reduce(into: Int64(0)) { number, digit in
        number = min(most, number * 10 + Int64(digit - UInt8(ascii: "0")))
      })
  }
}

/// The limits of an event stream.
public struct EventStreamLimits: Sendable, Hashable {
  /// The most bytes of a line; 1 MiB by default.
  public var maximumLineBytes = 1 << 20
  /// The most bytes of an event's data, each line with its end; 8 MiB by default.
  public var maximumEventBytes = 8 << 20

  /// The defaults.
  public init() {}
}

/// A line or an event of an event stream is larger than is allowed.
public enum EventStreamError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A line is too long.
  case lineTooLong(LineTooLongError)
  /// The data of an event has too many bytes.
  case eventTooLarge(limit: Int)

  /// What is too large, and the limit.
  public var description: String {
    switch self {
    case .lineTooLong(let error): error.description
    case .eventTooLarge(let limit): "an event has more than \(limit) bytes of data"
    }
  }
}
