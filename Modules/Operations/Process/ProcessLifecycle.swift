/// Lets work continue for a while when the process is asked to end.
///
/// An app implements it over its signals or its service framework, most simply with `GracePeriod`, and gives it to
/// `URLConnectionOperation.continueAtProcessEnd(under:expiration:)`.
public protocol ProcessLifecycle: Sendable {
  /// Announces work that should complete before the process ends.
  ///
  /// Safe from any isolation.
  ///
  /// - Parameter expiration: Called at most once, when the work must stop, and not after `ProcessWork.end`. If there is no
  ///   time left, it is called at once.
  /// - Returns: An object that ends the announcement.
  func begin(_ expiration: @escaping @Sendable () -> Void) -> any ProcessWork
}

/// Work that should complete before a process ends.
public protocol ProcessWork: Sendable {
  /// Declares that the work is done; later calls do nothing.
  func end()
}
