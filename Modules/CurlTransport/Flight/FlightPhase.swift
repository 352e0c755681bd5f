import CurlewCore

/// How far a request has come. Pure.
enum FlightPhase: Sendable, Hashable {
  /// It waits for its turn.
  case queued
  /// The file that is its body is being opened.
  case opening
  /// libcurl has it, and nothing of it was written.
  case connecting
  /// Its head is on the way; its body waits for `100 Continue` until this time, in nanoseconds of the monotonic clock.
  case awaitingContinue(until: UInt64)
  /// It is on the way, on a connection of its own choice.
  case awaitingHead
  /// The final head came.
  ///
  /// - `endsWithConnection`: Whether nothing but the connection's end says that the body is whole.
  case receivingBody(endsWithConnection: Bool)
  /// Its end was told.
  case over

  /// What takes a request to its next phase.
  enum Event: Sendable, Hashable {
    case opens
    case takesOff
    /// A connection was chosen, to which the request is written next.
    case connects
    case awaitsContinue(until: UInt64)
    /// The server has said something, or nothing for long enough.
    case continues
    case responds(endsWithConnection: Bool)
    case ends
  }

  /// Takes an event.
  ///
  /// - Returns: False, and the phase stays, when the event cannot happen in it.
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
    // A second connection means that libcurl lost the first one and would repeat the request unasked.
    case (.connecting, .connects): .awaitingHead
    case (.awaitingHead, .awaitsContinue(let due)): .awaitingContinue(until: due)
    case (.awaitingContinue, .continues): .awaitingHead
    case (.awaitingHead, .responds(let endsWithConnection)), (.awaitingContinue, .responds(let endsWithConnection)):
      .receivingBody(endsWithConnection: endsWithConnection)
    default: nil
    }
  }

  /// Whether it has been on a connection, so that the server may have seen some of it.
  var isConnected: Bool {
    switch self {
    case .awaitingContinue, .awaitingHead, .receivingBody: true
    case .queued, .opening, .connecting, .over: false
    }
  }

  /// Whether the final head came.
  var hasHead: Bool { if case .receivingBody = self { true } else { false } }

  /// Until when its body waits for `100 Continue`; nil when it does not.
  var continueDue: UInt64? { if case .awaitingContinue(let due) = self { due } else { nil } }

  /// Where it has come to, for whoever reads an error.
  var stage: NetworkError.Stage {
    switch self {
    case .receivingBody: .receivingBody
    case .awaitingContinue, .awaitingHead: .awaitingHead
    case .queued, .opening, .connecting, .over: .connecting
    }
  }
}
