import CurlewCore
import FoundationEssentials

extension BatchWorker {
  /// Requests that all leases are renewed at once, to receive the store's orders.
  func renewSoon() { update { $0.pulse += 1 } }

  /// Renews all leases periodically, and whenever `renewSoon` requests it.
  ///
  /// The period is a third of the duration of a lease, and shorter while the store does not answer.
  func keepLeases() async throws {
    var seen = 0
    var isAnswered = true
    while true {
      let period = configuration.leaseDuration.limited / 3
      let pause = isAnswered ? period : min(period, Self.longestPause)
      let last = seen
      try await first(
        { try await self.clock.sleep(until: self.clock.now.advanced(by: pause)) },
        { try await self.wait { $0.pulse != last } })
      seen = state.withLock { $0.pulse }
      isAnswered = try await renewLeases()
    }
  }

  /// Renews all leases and carries out the orders.
  ///
  /// If the store fails, the next call tries again, and a job whose lease may have expired is stopped.
  ///
  /// - Returns: Whether the store has answered.
  @discardableResult
  func renewLeases() async throws -> Bool {
    let flights = state.withLock { Array($0.flights.values) }
    guard !flights.isEmpty else { return true }
    let asked = clock.now
    do {
      let orders = try await store.renew(flights.map { $0.renewal() }, for: configuration.leaseDuration)
      for (flight, order) in zip(flights, orders) { obey(order, flight.lease.id, asked) }
      return true
    } catch let error as CancellationError {
      throw error
    } catch {
      for flight in flights where flight.validUntil <= clock.now { obey(.abandon, flight.lease.id, asked) }
      return false
    }
  }

  /// Renews a lease for `BatchJobContext.confirm`; throws unless the job may proceed.
  func confirm(_ id: BatchLease.ID, _ note: Data?) async throws {
    if let note, note.count > BatchLimits.inputBytes {
      throw BatchError(
        .invalidItem, item: id.name, "its note has \(note.count) bytes; at most \(BatchLimits.inputBytes) are allowed")
    }
    let flight = state.withLock { state in state.flights[id.name].flatMap { $0.lease.id == id ? $0 : nil } }
    guard let flight else { throw Self.lost(id) }
    let (order, asked) = try await renew(flight, note)
    obey(order, id, asked)
    switch order {
    case .proceed: try Task.checkCancellation()
    case .abandon: throw Self.lost(id)
    case .pause, .cancel: throw CancellationError()
    }
  }

  /// Renews one lease.
  ///
  /// An error of the store is never the result of the item: it ends the worker, and the item is given back.
  ///
  /// - Returns: The order, and when it was asked for.
  private func renew(
    _ flight: BatchFlight, _ note: Data?
  ) async throws -> (order: BatchOrder, asked: ContinuousClock.Instant) {
    do {
      return try await ask(within: flight.lease.id) {
        let asked = self.clock.now
        let orders = try await self.store.renew([flight.renewal(note: note)], for: self.configuration.leaseDuration)
        return (orders.first ?? .abandon, asked)
      }
    } catch let error as BatchError {
      obey(error.kind == .leaseLost ? .abandon : .pause, flight.lease.id, clock.now)
      if error.kind != .leaseLost { end(with: error) }
      throw error
    }
  }

  private static func lost(_ id: BatchLease.ID) -> BatchError {
    BatchError(
      .leaseLost, item: id.name, "the lease ran out before the work was published; another worker has the item")
  }

  /// Carries out an order from the store.
  private func obey(_ order: BatchOrder, _ id: BatchLease.ID, _ asked: ContinuousClock.Instant) {
    let validUntil = asked.advanced(by: configuration.leaseDuration.limited)
    let task = state.withLock { state -> Task<Void, Never>? in
      guard state.flights[id.name]?.lease.id == id else { return nil }
      if order != .abandon { state.flights[id.name]?.validUntil = validUntil }
      guard state.flights[id.name]?.take(order) ?? false else { return nil }
      return state.flights[id.name]?.task
    }
    task?.cancel()
  }
}
