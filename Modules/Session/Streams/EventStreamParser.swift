import CurlewCore
public import FoundationEssentials

/// Parses an event stream in chunks of any size (WHATWG HTML §9.2.6).
///
/// ```swift
/// var parser = EventStreamParser()
/// parser.append(chunk)
/// while let event = try parser.next() { print(event.type, event.data) }
/// ```
///
/// It performs no I/O and holds one chunk, one line and one event. Any bytes are a valid event stream, so it throws only if a
/// limit is exceeded. An event that the end of the stream cuts off is dropped.
public struct EventStreamParser: Sendable {
  /// The identifier of the last event; empty if there is none.
  ///
  /// A reconnection sends it as `Last-Event-ID`.
  public private(set) var lastEventID: String
  /// The delay before reconnecting that the server asks for; nil if none.
  public private(set) var reconnectionTime: Duration?

  private let limits: EventStreamLimits
  private var splitter: LineSplitter
  private var eventID: String
  private var type = ""
  /// The data of the event; each line is followed by an LF.
  private var data = Data()
  /// Whether the rest of the event is skipped, because it exceeded a limit.
  private var skipsEvent = false

  /// Creates a parser at the start of a stream.
  ///
  /// - Parameter lastEventID: The identifier after which the stream resumes. The standard starts without one. A client then
  ///   forgets its position if a resumed server sends an event without an identifier; browsers keep it.
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
  /// - Throws: `EventStreamError` for a line or an event that exceeds a limit. The next call continues after that event.
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

  /// Ends the event at an empty line; returns nil if it has no data.
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

  /// Reads a nonempty line: a comment, or a field with its value.
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
      type = Self.comparable(value) ?? type
    } else if name.elementsEqual("id".utf8) {
      if !value.contains(0) { eventID = Self.comparable(value) ?? eventID }
    } else if name.elementsEqual("retry".utf8) {
      reconnectionTime = Self.milliseconds(value) ?? reconnectionTime
    }
  }

  /// Returns a type or an identifier as text; nil if comparing it would take very long.
  private static func comparable(_ value: Data) -> String? {
    let text = String(decoding: value, as: UTF8.self)
    return text.isSlowToCompare ? nil : text
  }

  private mutating func skip(_ error: EventStreamError) -> EventStreamError {
    skipsEvent = true
    data = Data()
    return error
  }

  /// Returns the duration of a number of milliseconds, at most a year.
  ///
  /// Nil for anything except digits.
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
  /// The most bytes of an event's data, including line ends; 8 MiB by default.
  public var maximumEventBytes = 8 << 20
  /// The most bytes of a line; by default enough for an event whose data is in one line.
  public var maximumLineBytes: Int {
    get { line ?? min(maximumEventBytes, .max - Self.fieldName) + Self.fieldName }
    set { line = newValue }
  }
  private var line: Int?

  /// The bytes of `data: `, which are not part of the data.
  private static let fieldName = 6

  /// Creates the default limits.
  public init() {}
}

/// The error for a line or an event that exceeds a limit.
public enum EventStreamError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A line is too long.
  case lineTooLong(LineTooLongError)
  /// The data of an event has too many bytes.
  case eventTooLarge(limit: Int)

  /// A phrase with the kind and the limit.
  public var description: String {
    switch self {
    case .lineTooLong(let error): error.description
    case .eventTooLarge(let limit): "an event has more than \(limit) bytes of data"
    }
  }
}

extension EventStreamError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
