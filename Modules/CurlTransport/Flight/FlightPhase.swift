import CurlewCore

/// What ends the body of a response (RFC 9112 §6.3).
enum BodyEnd: Sendable, Hashable {
  /// The head, which no body follows.
  case head
  /// The announced length.
  case length(Int64)
  /// The last chunk, or the frame that ends the stream.
  case framing
  /// The end of the connection.
  case connection
}

/// The phase of a request on its way through libcurl, as a state machine.
enum FlightPhase: Sendable, Hashable {
  /// The request is waiting in the queue.
  case queued
  /// The file with the request's body is being opened.
  case opening
  /// libcurl has the request and has written none of it.
  case connecting
  /// The head was sent, and the body waits for `100 Continue`.
  ///
  /// - `until`: When the wait ends, in nanoseconds of the monotonic clock.
  case awaitingContinue(until: UInt64)
  /// The request is being sent on the connection that libcurl chose.
  case awaitingHead
  /// The final head has arrived.
  case receivingBody(until: BodyEnd)
  /// The outcome was reported.
  case over

  /// An event that changes the phase.
  enum Event: Sendable, Hashable {
    case opens
    case takesOff
    /// libcurl chose a connection and writes the request to it next.
    case connects
    case awaitsContinue(until: UInt64)
    /// The server has answered, or the time to wait has passed.
    case continues
    case responds(until: BodyEnd)
    case ends
  }

  /// Changes the phase after an event.
  ///
  /// - Returns: False if the event is not possible in the current phase, which then stays.
  @discardableResult
  mutating func take(_ event: Event) -> Bool {
    guard let next = next(after: event) else { return false }
    self = next
    return true
  }

  private func next(after event: Event) -> FlightPhase? {
    switch (self, event) {
    case (.over, _): nil
    case (_, .ends): .over
    case (.queued, .opens): .opening
    case (.queued, .takesOff), (.opening, .takesOff): .connecting
    // A second connection means that libcurl lost the first one and would repeat the request without asking.
    case (.connecting, .connects): .awaitingHead
    case (.awaitingHead, .awaitsContinue(let due)): .awaitingContinue(until: due)
    case (.awaitingContinue, .continues): .awaitingHead
    case (.awaitingHead, .responds(let end)), (.awaitingContinue, .responds(let end)): .receivingBody(until: end)
    default: nil
    }
  }

  /// Whether a connection was chosen, so the server may have seen the request.
  var isConnected: Bool {
    switch self {
    case .awaitingContinue, .awaitingHead, .receivingBody: true
    case .queued, .opening, .connecting, .over: false
    }
  }

  /// Whether the final head has arrived.
  var hasHead: Bool { if case .receivingBody = self { true } else { false } }

  /// Returns whether the body may have this many bytes.
  ///
  /// libcurl finds the end of a body by itself. It must not find another one than the head that was passed on.
  func allows(_ bytes: Int64) -> Bool {
    switch self {
    case .receivingBody(.head): bytes == 0
    case .receivingBody(.length(let length)): bytes <= length
    case .receivingBody(.framing), .receivingBody(.connection): true
    case .awaitingContinue, .awaitingHead, .queued, .opening, .connecting, .over: false
    }
  }

  /// Returns whether a body of this many bytes is complete; nil if the head does not tell.
  func isWhole(_ bytes: Int64) -> Bool? {
    switch self {
    case .receivingBody(.head): bytes == 0
    case .receivingBody(.length(let length)): bytes == length
    default: nil
    }
  }

  /// When the wait for `100 Continue` ends; nil when the body does not wait.
  var continueDue: UInt64? { if case .awaitingContinue(let due) = self { due } else { nil } }

  /// The stage to report in an error.
  var stage: NetworkError.Stage {
    switch self {
    case .receivingBody: .receivingBody
    case .awaitingContinue, .awaitingHead: .awaitingHead
    case .queued, .opening, .connecting, .over: .connecting
    }
  }
}
