import CurlewCore

extension BatchWorker {
  /// The longest pause before the store is asked again.
  static let longestPause = Duration.seconds(1)

  /// Calls the store, and calls it again while it cannot answer (`BatchError.isTransient`).
  ///
  /// - Throws: The store's error once it has not answered for the duration of a lease.
  func ask<Answer: Sendable>(_ call: @Sendable () async throws -> Answer) async throws -> Answer {
    var end: ContinuousClock.Instant?
    return try await ask(call) { error, now in
      let last = end ?? now.advanced(by: self.configuration.leaseDuration.limited)
      end = last
      return now < last ? nil : error
    }
  }

  /// Calls the store for an item, and calls it again while it cannot answer and the lease may be valid.
  ///
  /// - Throws: `BatchError` of kind `leaseLost` once the lease is over.
  func ask<Answer: Sendable>(
    within id: BatchLease.ID, _ call: @Sendable () async throws -> Answer
  ) async throws -> Answer {
    try await ask(call) { _, now in
      let flight = self.state.withLock { $0.flights[id.name] }
      guard let flight, flight.lease.id == id, flight.order != .abandon, now < flight.validUntil else {
        return BatchError(.leaseLost, item: id.name, "the store did not answer until the lease was over")
      }
      return nil
    }
  }

  private func ask<Answer: Sendable>(
    _ call: @Sendable () async throws -> Answer,
    unless refusal: (_ error: BatchError, _ now: ContinuousClock.Instant) -> BatchError?
  ) async throws -> Answer {
    var pause = Duration.milliseconds(100)
    while true {
      do {
        return try await call()
      } catch let error as BatchError where error.isTransient {
        if let error = refusal(error, clock.now) { throw error }
      }
      try await clock.sleep(until: clock.now.advanced(by: pause))
      pause = min(pause * 2, Self.longestPause)
    }
  }

  /// Ends the worker with an error of its store.
  func end(with error: BatchError) {
    update { state in
      state.fault = state.fault ?? error
      state.bell += 1
    }
  }
}
