/// The states of an operation.
public enum OperationState: String, Sendable, Hashable, CaseIterable {
  /// Not started: waiting for its queue, or for `start`.
  case ready
  /// Started and not finished.
  ///
  /// Its request may be waiting for a connection, a retry or an answer.
  case executing
  /// Paused before or after its start, until it is resumed or cancelled.
  case paused
  /// Finished: it has its outcome and does not change any more.
  case finished
}

/// The calls that an operation accepts.
public enum OperationCall: String, Sendable, Hashable, CaseIterable {
  /// `Operation.start()`, by a queue or by the app.
  case start
  /// `pause()`.
  case pause
  /// `resume()`.
  case resume
  /// `Operation.cancel()`.
  case cancel
  /// `Operation.waitUntilFinished()`, which is refused in tasks.
  case wait
}

/// The events of an operation, in order.
public enum OperationEvent: Sendable, Hashable {
  /// The request begins.
  case started
  /// The operation was paused, before or after its start.
  case paused
  /// The operation continues, or is ready again if it was not started.
  case resumed
  /// The operation has finished; sent once, and only `refused` may follow.
  case finished
  /// A call was not allowed in this state, and changed nothing.
  case refused(OperationCall, in: OperationState)
}
