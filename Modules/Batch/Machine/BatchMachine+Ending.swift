extension BatchMachine {
  /// See `BatchStore.finish`.
  mutating func finish(
    _ id: BatchLease.ID, with result: BatchResult, at now: ContinuousClock.Instant
  ) throws(BatchError) {
    advance(to: now)
    let index = try index(of: id)
    revision += 1
    endLease(index)
    if result.isSuccess { succeed(index, result, at: now) } else { endUnsuccessful(index, result) }
  }

  /// Ends an item that did not succeed, and stops the batch if it failed and the rules say so.
  mutating func endUnsuccessful(_ index: Int, _ result: BatchResult) {
    endWithDependents(index, result)
    guard case .failed = result, rules.stopsOnFailure, stoppedBy == nil else { return }
    let name = records[index].name
    stoppedBy = name
    endAll(.skipped(because: name))
  }

  /// Ends every item that is not leased, and tells the other workers to cancel.
  mutating func endAll(_ result: BatchResult) {
    for index in records.indices {
      switch records[index].state {
      case .ended: break
      case .leased: records[index].isCancelling = true
      case .blocked, .ready, .delayed, .paused: end(index, result)
      }
    }
  }

  /// Ends an item that succeeded; dependents that wait for nothing else become ready.
  private mutating func succeed(_ index: Int, _ result: BatchResult, at now: ContinuousClock.Instant) {
    end(index, result)
    for dependent in records[index].dependents.map({ Int($0) }) where records[dependent].state != .ended {
      records[dependent].missing -= 1
      guard records[dependent].missing == 0, records[dependent].state == .blocked else { continue }
      records[dependent].since = now
      move(dependent, to: .ready)
    }
  }

  /// Ends an item that did not succeed, and skips all its dependents.
  ///
  /// A dependent that is running, because the item was reopened meanwhile, keeps its lease; it is skipped when it is given back
  /// without a result.
  mutating func endWithDependents(_ index: Int, _ result: BatchResult) {
    end(index, result)
    let cause = BatchResult.skipped(because: result.cause ?? records[index].name)
    var skipped = records[index].dependents
    while let next = skipped.popLast().map({ Int($0) }) {
      guard records[next].state != .ended, records[next].state != .leased else { continue }
      end(next, cause)
      skipped += records[next].dependents
    }
  }

  /// Stores the result of an item that is no longer leased.
  mutating func end(_ index: Int, _ result: BatchResult) {
    progress.partialBytes &-= records[index].partialBytes
    if case .succeeded(let product) = result, let bytes = product.bytes, bytes >= 0 {
      progress.size(records[index].size, bytes)
      records[index].size = bytes
    }
    move(index, to: .ended)
    outcomes.append(Outcome(index: Int32(index), result: result))
    records[index].position = Int32(outcomes.count)
    endedCounts.add(result, 1)
    progress.endedItems += 1
    if let size = records[index].size {
      progress.endedSizedItems += 1
      progress.endedBytes &+= size
    }
  }

  /// Removes the result of an item.
  mutating func reopen(_ index: Int) {
    let position = Int(records[index].position) - 1
    guard let outcome = outcomes[position] else { return }
    outcomes[position] = nil
    endedCounts.add(outcome.result, -1)
    progress.endedItems -= 1
    if let size = records[index].size {
      progress.endedSizedItems -= 1
      progress.endedBytes &-= size
    }
    records[index].position = 0
    records[index].retries = 0
    records[index].losses = 0
    records[index].completed = 0
    records[index].isCancelling = false
    records[index].isHeld = false
    move(index, to: .blocked)
  }
}
