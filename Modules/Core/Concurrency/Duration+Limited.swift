extension Duration {
  /// The duration, from zero to about 68 years.
  ///
  /// Durations that an app or a server chooses are limited before they are added to an instant or converted to a number, because
  /// both trap on an overflow.
  package var limited: Duration { min(max(self, .zero), .seconds(Int64(1) << 31)) }
}

extension ContinuousClock.Instant {
  /// Returns the time until a deadline, from zero to about 68 years.
  package func left(until deadline: ContinuousClock.Instant) -> Duration {
    // The order matters: the distance to an instant far in the past can overflow.
    deadline > self ? duration(to: deadline).limited : .zero
  }
}
