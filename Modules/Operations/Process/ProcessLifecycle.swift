/// Lets work go on for a while when the process is asked to end.
///
/// An app implements it over its signals or its service framework, most simply with `GracePeriod`, and gives it to
/// `URLConnectionOperation.continueAtProcessEnd(under:expiration:)`.
public protocol ProcessLifecycle: Sendable {
  /// Announces work that the end of the process should wait for. Safe from any isolation.
  ///
  /// - Parameter expiration: Called at most once, when the work has to stop now, and not after `ProcessWork.end`. Called at
  ///   once where there is no time left.
  /// - Returns: Ends the announcement.
  func begin(_ expiration: @escaping @Sendable () -> Void) -> any ProcessWork
}

/// Work that the end of a process waits for.
public protocol ProcessWork: Sendable {
  /// Says that the work is done; calls after the first do nothing.
  func end()
}
