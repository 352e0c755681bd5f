public import CurlewCore
import CurlewLoading
public import CurlewSerialization
import FoundationEssentials
import HTTPTypes

extension NetworkError.Kind {
  /// A line or an event of an event stream exceeds its limit.
  public static let eventTooLarge = NetworkError.Kind(rawValue: "event-too-large")
}

/// The events of a server, over any number of connections (WHATWG HTML §9.2).
///
/// It connects when the first event is requested. When the stream ends or the connection is lost, it waits for the time that
/// the server set with `retry`, and connects again with the `Last-Event-ID`. A 204 ends the sequence; any other status except
/// 200, and any type except `text/event-stream`, is an error, and so is a server that is not reached at first. Each iterator has
/// its own connections, and releasing it ends them.
///
/// A stream may be silent and may last for days: of the session's timeouts only the one for connecting applies. An idle or a
/// total timeout in the options of the call ends a connection, after which the sequence connects again. Set an idle timeout if
/// the server sends comments to keep the stream alive, so that a connection which was lost without a word is noticed sooner than
/// by the system's keep-alive. Bytes are read only when an event is requested, so a slow reader slows down the server.
///
/// A request that must not be repeated, such as a `POST`, is sent again only if no server can have received it. The end of its
/// stream ends the sequence, and its loss is an error. `RequestOptions.isIdempotent` of the call says that it may be repeated.
public struct ServerSentEvents: AsyncSequence, Sendable {
  /// An event.
  public typealias Element = ServerSentEvent

  let session: HTTPSession
  let call: Call
  let options: EventStreamOptions

  /// Starts reading the events.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      events: self, parser: EventStreamParser(lastEventID: options.lastEventID, limits: options.limits))
  }

  /// Iterates over the events.
  public struct Iterator: AsyncIteratorProtocol {
    private let events: ServerSentEvents
    /// Whether the request may be sent again after a server has received it.
    private var isRepeatable = true
    private var hasResponse = false
    private var parser: EventStreamParser
    private var reconnection = Reconnection()
    private var body: ResponseBody.Iterator?
    private var isFinished = false
    /// The delay that the server asked for, on any connection.
    private var asked: Duration?

    init(events: ServerSentEvents, parser: EventStreamParser) {
      self.events = events
      self.parser = parser
    }

    /// Returns the next event; nil after a 204 and after an error.
    ///
    /// - Throws: `NetworkError`: the refusal of the response, an event that exceeds its limit (`eventTooLarge`), or the last
    ///   of too many failed connections; `CancellationError` when the task was cancelled.
    public mutating func next() async throws -> ServerSentEvent? {
      guard !isFinished else { return nil }
      do {
        while true {
          if body != nil, let event = try await nextOfConnection() { return event }
          guard try await connect() else { break }
        }
      } catch {
        isFinished = true
        body = nil
        throw events.session.core.reported(events.session.core.naming(error, events.call))
      }
      isFinished = true
      return nil
    }

    /// Returns the next event of this connection; nil at its end.
    private mutating func nextOfConnection() async throws -> ServerSentEvent? {
      while true {
        do throws(EventStreamError) {
          if var event = try parser.next() {
            event.coding = events.session.configuration.coding
            return event
          }
        } catch {
          throw NetworkError(
            .eventTooLarge, stage: .receivingBody, message: "The event stream cannot be read: \(error).",
            advice: "If such events are right, raise `EventStreamOptions.limits`.",
            underlying: error)
        }
        do {
          guard let chunk = try await body?.next() else {
            body = nil
            return nil
          }
          reconnection.noteProgress()
          parser.append(chunk)
        } catch {
          try fail(with: error)
          return nil
        }
      }
    }

    /// Waits if necessary and connects; returns false after a 204.
    private mutating func connect() async throws -> Bool {
      guard isRepeatable || !hasResponse else { return false }
      asked = parser.reconnectionTime ?? asked
      let wait = reconnection.wait(asked: asked, events.options)
      let clock = events.session.configuration.settings.clock
      if wait > .zero { try await clock.sleep(until: clock.now + wait) }
      parser = EventStreamParser(lastEventID: parser.lastEventID, limits: events.options.limits)
      do {
        let request = try events.request(after: parser.lastEventID)
        isRepeatable = request.isIdempotent
        guard let response = try await events.open(request) else { return false }
        hasResponse = true
        body = response.body.makeAsyncIterator()
      } catch {
        try fail(with: error)
      }
      return true
    }

    /// Throws the error, unless another connection may succeed.
    private mutating func fail(with error: any Error) throws {
      body = nil
      let isKnownUnsent = !hasResponse && (error as? NetworkError)?.maybeProcessed == false
      guard isRepeatable || isKnownUnsent, events.isTemporary(error), let error = error as? NetworkError else {
        throw error
      }
      if error.details.response != nil { hasResponse = true }
      guard reconnection.noteFailure(limit(after: error)) else {
        throw error.with { $0.attempts = Swift.max($0.attempts, reconnection.failures) }
      }
    }

    /// How many failures in a row are allowed: few before a server was met, since a wrong address stays wrong.
    private func limit(after error: NetworkError) -> Int? {
      guard !hasResponse, let limit = events.options.failureLimit, !error.details.lacksNetwork else {
        return events.options.failureLimit
      }
      return Swift.min(limit, error.kind == .nameLookupFailed ? 0 : 2)
    }
  }
}

extension ServerSentEvents {
  /// Creates the request for the events after an identifier.
  fileprivate func request(after lastEventID: String) throws(NetworkError) -> Request {
    var call = call.asking(.accept, MediaType.eventStream.description).asking(.cacheControl, "no-store")
    if !lastEventID.isEmpty, HTTPField.isValidValue(lastEventID) { call.headerFields[.lastEventID] = lastEventID }
    call.options.cachePolicy = call.options.cachePolicy ?? .noStore
    var request = try session.core.request(call)
    // The session's timeouts are for responses that end.
    let (own, shared) = (call.options.timeouts, session.configuration.options.timeouts)
    request.options = request.options.over(session.configuration.options)
    request.options.timeouts.idle = own.idle ?? Self.never
    request.options.timeouts.total = own.total ?? (shared.total == nil ? nil : Self.never)
    return request
  }

  /// Longer than any stream, for a transport that has timeouts of its own.
  private static var never: Duration { .seconds(366 * 86_400) }

  /// Requests the events; returns nil for a 204.
  fileprivate func open(_ request: Request) async throws -> Response? {
    let response = try await session.opened(request)
    if response.head.status == .noContent {
      response.body.cancel()
      return nil
    }
    guard let refusal = refusal(of: response.head) else { return response }
    throw await refusal.withStart(of: response.body, upTo: TransferValidation.errorBodyLimit).naming(request)
  }

  private func refusal(of head: ResponseHead) -> NetworkError? {
    let error: NetworkError
    if head.status != .ok {
      error = NetworkError(
        .unacceptableStatus, stage: .validating, message: "The server answered \(head.status.words) instead of events.",
        advice: NetworkError.temporaryStatuses.contains(head.status.code)
          ? "Where it may do so for a while, name the status in `EventStreamOptions.temporaryStatuses`." : nil)
    } else if head.mediaType?.essence != MediaType.eventStream.essence {
      error = NetworkError(
        .unacceptableContentType, stage: .validating,
        message:
          "The content type \(head.mediaType?.essence ?? "(none)") is not that of an event stream (text/event-stream).",
        advice: "Check the URL, and what the server needs to send events; `session.lines` reads another stream of text."
      )
    } else {
      return nil
    }
    return error.with { details in
      details.response = head
      details.maybeProcessed = true
    }
  }

  fileprivate func isTemporary(_ error: any Error) -> Bool {
    if let error = error as? NetworkError, error.kind == .unacceptableStatus {
      return error.details.response.map { options.temporaryStatuses.contains($0.status.code) } ?? false
    }
    return Reconnection.mayHelp(after: error)
  }
}

extension HTTPField.Name {
  /// `Last-Event-ID` (WHATWG HTML §9.2.4).
  fileprivate static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .from
}

/// One event of an event stream (WHATWG HTML §9.2, "Server-sent events").
public struct ServerSentEvent: Sendable, Hashable {
  /// The type; `message` if the server sends none.
  public var type: String
  /// The data; the lines of several `data` fields are joined by LF.
  public var data: String
  /// The identifier after which a reconnection resumes; empty if there is none.
  ///
  /// It is that of this event or, if it has none, of the last event with one.
  public var lastEventID: String
  /// The first format of the session that received the event.
  var coding: (any ValueCoding)?

  /// Creates an event.
  public init(type: String = "message", data: String, lastEventID: String = "") {
    self.type = type
    self.data = data
    self.lastEventID = lastEventID
  }

  /// Returns the data as a value of a type.
  ///
  /// ```swift
  /// for try await event in session.serverSentEvents("sightings") where event.type == "bird" {
  ///   let bird = try event.decoded(as: [String: String].self)
  ///   print(bird["name"] ?? "")
  /// }
  /// ```
  ///
  /// - Parameter coding: The format; nil uses the first one of the session.
  /// - Throws: `NetworkError` of kind `serializationFailed`, or `unsupported` without a format.
  public func decoded<Value: Decodable>(
    as type: Value.Type, by coding: (any ValueCoding)? = nil
  ) throws(NetworkError) -> Value {
    guard let coding = coding ?? self.coding else { throw .noFormats(.decoding) }
    do {
      return try coding.decode(type, from: Data(data.utf8), nil)
    } catch {
      throw NetworkError(
        .serializationFailed, stage: .decoding,
        message: "The data of an event cannot be decoded as \(type): \(NetworkError.reason(error))",
        advice: "Compare the type with `event.data`; `event.type` says of what kind the event is.", underlying: error)
    }
  }

  /// Returns whether two events have the same type, data and identifier.
  public static func == (left: ServerSentEvent, right: ServerSentEvent) -> Bool {
    left.data == right.data && left.type == right.type && left.lastEventID == right.lastEventID
  }

  /// Hashes the data and the identifier.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(data)
    hasher.combine(lastEventID)
  }
}

extension ServerSentEvent: CustomReflectable {
  /// The type, the data and the identifier.
  public var customMirror: Mirror {
    Mirror(self, children: ["type": type, "data": data, "lastEventID": lastEventID])
  }
}

/// How a session reads an event stream and reconnects.
public struct EventStreamOptions: Sendable {
  /// The limits for a line and for an event.
  public var limits = EventStreamLimits()
  /// The identifier to resume after; empty for none.
  ///
  /// It is sent as `Last-Event-ID` with the first request.
  public var lastEventID = ""
  /// The delay before reconnecting; 3 seconds by default.
  ///
  /// It applies until the server states one with `retry`.
  public var reconnectionTime = Duration.seconds(3)
  /// The shortest delay that a server can ask for; half a second by default.
  ///
  /// A server that sends `retry: 0` and ends each stream at once would otherwise be asked as fast as it answers.
  public var shortestWait = Duration.milliseconds(500)
  /// The longest delay before reconnecting; 60 seconds by default.
  ///
  /// It limits what the server asks for.
  public var longestWait = Duration.seconds(60)
  /// The most consecutive failed connections; 10 by default, nil sets no limit.
  ///
  /// A connection fails if it delivers no byte of events; the end of a stream is not a failure. The delay doubles with each
  /// failure, up to `longestWait`. If there is a limit, a server that has never answered is asked three times at most, and a
  /// host whose name is not known once; without a network that does not apply.
  public var failureLimit: Int?
  /// The statuses that count as a failed connection instead of ending the sequence.
  ///
  /// None by default, as the standard says: a status other than 200 ends it. 502, 503 and 504 are candidates.
  public var temporaryStatuses: Set<Int> = []
  /// The source of randomness, 0 to 1.
  ///
  /// It keeps clients that failed together from reconnecting together.
  public var random: @Sendable () -> Double = { .random(in: 0...1) }

  /// Creates options with a limit of failed connections, and the default of everything else.
  public init(failureLimit: Int? = 10) { self.failureLimit = failureLimit }
}

/// Decides when an event stream reconnects, without I/O.
struct Reconnection: Sendable {
  /// The number of consecutive failures.
  private(set) var failures = 0
  private var isFirst = true

  /// Records that bytes have arrived.
  mutating func noteProgress() { failures = 0 }

  /// Records a connection that failed or was lost.
  ///
  /// - Returns: Whether to connect again.
  mutating func noteFailure(_ limit: Int?) -> Bool {
    failures += 1
    return limit.map { failures <= $0 } ?? true
  }

  /// Returns the delay before the next connection, which is zero for the first.
  mutating func wait(asked: Duration?, _ options: EventStreamOptions) -> Duration {
    defer { isFirst = false }
    guard !isFirst else { return .zero }
    let limit = options.longestWait.limited
    // A server asks for no less, and chance shortens no wait below it.
    let floor = asked == nil ? .zero : min(max(.zero, options.shortestWait), limit)
    let chosen = asked.map { max($0, floor) } ?? options.reconnectionTime
    var wait = min(max(.zero, chosen), limit)
    var left = failures - 1
    guard left >= 0 else { return wait }
    while left > 0, wait > .zero, wait < limit {
      wait += wait
      left -= 1
    }
    let chance = options.random()
    return max(floor, min(wait, limit) * (0.5 + 0.5 * (chance >= 0 && chance <= 1 ? chance : 1)))
  }

  /// Returns whether another connection may succeed after an error.
  ///
  /// No refused status is worth one (HTML §9.2.2).
  static func mayHelp(after error: any Error) -> Bool {
    guard let error = error as? NetworkError else { return false }
    return error.isRetryable && error.kind != .unacceptableStatus
  }
}
