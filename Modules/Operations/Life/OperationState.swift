/// The states of an operation.
public enum OperationState: String, Sendable, Hashable, CaseIterable {
  /// Not started: it waits for its queue, or for `start`.
  case ready
  /// Started and not over; its request may wait for a connection, a retry or an answer.
  case executing
  /// Paused until it is resumed or cancelled, before or after its start.
  case paused
  /// Over: it has its outcome and nothing of it changes any more.
  case finished
}

/// What can be asked of an operation.
public enum OperationCall: String, Sendable, Hashable, CaseIterable {
  /// `Operation.start()`, by a queue or by hand.
  case start
  /// `pause()`.
  case pause
  /// `resume()`.
  case resume
  /// `Operation.cancel()`.
  case cancel
}

/// What happens to an operation, in order.
public enum OperationEvent: Sendable, Hashable {
  /// Its request begins.
  case started
  /// It was paused, before or after its start.
  case paused
  /// It goes on, or is ready again where it was not started.
  case resumed
  /// It is over; comes once, and is the last but for `refused`.
  case finished
  /// A call that its state does not allow, and that changed nothing.
  case refused(OperationCall, in: OperationState)
}
