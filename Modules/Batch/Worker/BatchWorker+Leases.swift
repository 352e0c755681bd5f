import CurlewCore
import FoundationEssentials

extension BatchWorker {
  /// Requests that all leases are renewed at once, to receive the store's orders.
  func renewSoon() { update { $0.pulse += 1 } }

  /// Renews all leases periodically, and whenever `renewSoon` requests it.
  ///
  /// The period is a third of the duration of a lease.
  func keepLeases() async throws {
    var seen = 0
    while true {
      let pause = configuration.leaseDuration.limited / 3
      let last = seen
      try await first(
        { try await self.clock.sleep(until: self.clock.now.advanced(by: pause)) },
        { try await self.wait { $0.pulse != last } })
      seen = state.withLock { $0.pulse }
      try await renewLeases()
    }
  }

  /// Renews all leases and carries out the orders.
  ///
  /// If the store fails, the next period tries again, and a job whose lease may have expired is stopped.
  func renewLeases() async throws {
    let flights = state.withLock { Array($0.flights.values) }
    guard !flights.isEmpty else { return }
    let asked = clock.now
    do {
      let orders = try await store.renew(flights.map { $0.renewal() }, for: configuration.leaseDuration)
      for (flight, order) in zip(flights, orders) { obey(order, flight.lease.id, asked) }
    } catch let error as CancellationError {
      throw error
    } catch {
      for flight in flights where flight.validUntil <= clock.now { obey(.abandon, flight.lease.id, asked) }
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
    let asked = clock.now
    let order = try await store.renew([flight.renewal(note: note)], for: configuration.leaseDuration).first ?? .abandon
    obey(order, id, asked)
    switch order {
    case .proceed: try Task.checkCancellation()
    case .abandon: throw Self.lost(id)
    case .pause, .cancel: throw CancellationError()
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
