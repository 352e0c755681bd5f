import CurlewCore
import CurlewRequests
import FoundationEssentials

extension BatchWorker {
  var itemsInFlight: [BatchItemProgress] {
    state.withLock { $0.flights.values.map(\.progress) }.sorted { $0.name < $1.name }
  }

  /// Stores the closure of an item, and returns the closure that it replaces.
  func keep(_ job: BatchJob, for name: String) -> BatchJob? {
    state.withLock { $0.closures.updateValue(job, forKey: name) }
  }

  /// Restores the closure that `keep` has replaced.
  func restore(_ job: BatchJob?, for name: String) {
    _ = state.withLock { state in
      let old = state.closures[name]
      state.closures[name] = job
      return old
    }
  }

  // MARK: One item

  /// Starts the task of a leased item.
  func begin(_ lease: BatchLease, _ validUntil: ContinuousClock.Instant) {
    let name = lease.item.name
    let old = state.withLock { state in
      // The job of an earlier, lost lease on this item may still be running; the new task waits for its end.
      let old = state.flights[name]?.task
      // The task is made under the lock, so that every order finds it.
      let task = Task {
        await old?.value
        await self.perform(lease)
      }
      state.flights[name] = BatchFlight(lease: lease, task: task, validUntil: validUntil)
      return old
    }
    old?.cancel()
  }

  private func perform(_ lease: BatchLease) async {
    for observer in state.withLock({ $0.observers }) { await observer.tell(.began(lease.item)) }
    let result: Result<BatchProduct, any Error>
    do {
      try Task.checkCancellation()
      result = .success(try await job(of: lease.item).run(context(of: lease)))
    } catch {
      result = .failure(error)
    }
    // A new task, because this one may be cancelled and the result must be recorded nevertheless.
    await Task { await self.conclude(lease.id, result) }.value
  }

  private func job(of item: BatchItem) throws -> BatchJob {
    if item.job == .closure, let job = state.withLock({ $0.closures[item.name] }) { return job }
    return try configuration.jobs.component(item.job)
  }

  private func context(of lease: BatchLease) -> BatchJobContext {
    BatchJobContext(lease: lease) { completed, total in
      self.state.withLock { state in
        guard state.flights[lease.item.name]?.lease.id == lease.id else { return }
        state.flights[lease.item.name]?.completed = completed
        if let total { state.flights[lease.item.name]?.total = total }
      }
    } confirming: { note in
      try await self.confirm(lease.id, note)
    }
  }

  /// Records the result of an item, or releases the item.
  private func conclude(_ id: BatchLease.ID, _ result: Result<BatchProduct, any Error>) async {
    let order = state.withLock { state in state.flights[id.name].flatMap { $0.lease.id == id ? $0.order : .abandon } }
    var fault: (any Error)?
    do {
      try await ask(within: id) { try await self.record(id, result, order) }
    } catch let error as BatchError where error.kind == .leaseLost {
      // The lease is lost: the item belongs to another worker, and this result does not count.
    } catch {
      fault = error
    }
    update { state in
      state.fault = state.fault ?? fault
      state.bell += 1
      if state.flights[id.name]?.lease.id == id { state.flights[id.name] = nil }
    }
    // The failure may have stopped the batch; a renewal fetches the orders for the other items at once.
    if case .failure = result, order == nil { renewSoon() }
  }

  private func record(
    _ id: BatchLease.ID, _ result: Result<BatchProduct, any Error>, _ order: BatchOrder?
  ) async throws {
    switch (result, order) {
    case (_, .abandon): break
    case (.success(let product), _):
      guard product.output.count <= BatchLimits.outputBytes else {
        let error = BatchError(
          .invalidItem, item: id.name,
          "its output has \(product.output.count) bytes; at most \(BatchLimits.outputBytes) are allowed")
        return try await store.finish(id, with: .failed(BatchFailure(error)))
      }
      try await store.finish(id, with: .succeeded(product))
    case (.failure, .pause): try await store.release(id, .unfinished)
    case (.failure, .cancel): try await store.finish(id, with: .cancelled)
    case (.failure(let error as BatchRetry), _): try await store.release(id, .retry(after: error.delay))
    case (.failure(is CancellationError), _): try await store.finish(id, with: .cancelled)
    case (.failure(let error), _): try await store.finish(id, with: .failed(BatchFailure(error)))
    }
  }
}

/// An item that a worker works on.
struct BatchFlight: Sendable {
  let lease: BatchLease
  let task: Task<Void, Never>
  /// The strongest order so far; nil while the job may proceed.
  var order: BatchOrder?
  /// The time at which the lease expires unless it is renewed.
  var validUntil: ContinuousClock.Instant
  var completed: Int64 = 0
  var total: Int64?

  var progress: BatchItemProgress { BatchItemProgress(name: lease.item.name, completed: completed, total: total) }

  func renewal(note: Data? = nil) -> BatchRenewal {
    BatchRenewal(lease.id, completed: completed, total: total, note: note)
  }

  /// Records an order if it is stronger than the order so far.
  ///
  /// - Returns: True if the order was stronger, so that the job must stop.
  mutating func take(_ order: BatchOrder) -> Bool {
    guard order.strength > (self.order ?? .proceed).strength else { return false }
    self.order = order
    return true
  }
}

extension BatchOrder {
  fileprivate var strength: Int {
    switch self {
    case .proceed: 0
    case .pause: 1
    case .cancel: 2
    case .abandon: 3
    }
  }
}
