import CurlewCore

extension BatchMachine {
  /// The time at which the next lease expires or the next wait ends, if any.
  var nextDue: ContinuousClock.Instant? { [expiries.first?.key, delayed.first?.key].compactMap { $0 }.min() }

  /// Ends the leases and the waits whose time has passed.
  mutating func advance(to now: ContinuousClock.Instant) {
    while let lease = expiries.first, lease.key <= now {
      lose(lease.id, since: lease.key)
      revision += 1
    }
    while let wait = delayed.first, wait.key <= now {
      records[wait.id].since = wait.key
      move(wait.id, to: .ready)
      revision += 1
    }
  }

  /// See `BatchStore.lease`.
  mutating func lease(_ count: Int, for duration: Duration, at now: ContinuousClock.Instant) -> BatchLeases {
    advance(to: now)
    var leases: [BatchLease] = []
    while leases.count < count, !isPaused, self.count(.leased) < max(1, rules.limit), let index = next(at: now) {
      lastToken += 1
      records[index].token = lastToken
      move(index, to: .leased)
      expiries.set(index, now.advanced(by: duration.limited))
      place(on: Int(records[index].host), 1)
      let record = records[index]
      leases.append(
        BatchLease(
          id: BatchLease.ID(name: record.name, token: lastToken), item: item(index), retries: Int(record.retries),
          note: record.note))
    }
    if !leases.isEmpty { revision += 1 }
    return BatchLeases(leases: leases, isComplete: isComplete, revision: revision)
  }

  /// Chooses the next item to begin.
  private mutating func next(at now: ContinuousClock.Instant) -> Int? {
    guard let first = queue.first else { return nil }
    guard !wasOverdue, let ageLimit = rules.ageLimit,
      let overdue = queue.overdue(since: now.advanced(by: .zero - ageLimit.limited), below: first.priority)
    else {
      wasOverdue = false
      return first.index
    }
    wasOverdue = true
    return overdue
  }

  /// Occupies or frees places of a host.
  mutating func place(on host: Int, _ number: Int) {
    running[host] += number
    updateHost(host)
  }

  /// Lets a host's items begin while the host has a free place.
  mutating func updateHost(_ host: Int) {
    guard host != 0 else { return }
    queue.setFull(host, rules.perHost.map { running[host] >= max(1, $0) } ?? false)
  }

  /// Returns the index of the item of a lease, or throws if the lease is lost.
  func index(of id: BatchLease.ID) throws(BatchError) -> Int {
    guard let index = names[id.name].map({ Int($0) }), records[index].state == .leased, records[index].token == id.token
    else {
      throw BatchError(
        .leaseLost, item: id.name, "the lease is over, and the item belongs to another worker or has its result")
    }
    return index
  }

  /// See `BatchStore.renew`.
  mutating func renew(
    _ renewals: [BatchRenewal], for duration: Duration, at now: ContinuousClock.Instant
  ) -> [BatchOrder] {
    advance(to: now)
    return renewals.map { renewal in
      guard let index = try? index(of: renewal.id) else { return .abandon }
      expiries.set(index, now.advanced(by: duration.limited))
      report(index, renewal)
      if records[index].isCancelling { return .cancel }
      return isPaused || records[index].isHeld ? .pause : .proceed
    }
  }

  private mutating func report(_ index: Int, _ renewal: BatchRenewal) {
    progress.partialBytes &-= records[index].partialBytes
    records[index].completed = max(0, renewal.completed)
    if let total = renewal.total, total >= 0 {
      progress.size(records[index].size, total)
      records[index].size = total
    }
    progress.partialBytes &+= records[index].partialBytes
    if let note = renewal.note { records[index].note = note }
  }

  /// See `BatchStore.release`.
  mutating func release(
    _ id: BatchLease.ID, _ reason: BatchRelease, at now: ContinuousClock.Instant
  ) throws(BatchError) {
    advance(to: now)
    let index = try index(of: id)
    revision += 1
    records[index].losses = 0
    guard case .retry(let delay) = reason else { return giveBack(index) }
    records[index].retries = min(records[index].retries, .max - 1) + 1
    let isFree = !records[index].isCancelling && !records[index].isHeld && records[index].missing == 0
    guard isFree else { return giveBack(index) }
    endLease(index)
    let due = now.advanced(by: delay.limited)
    records[index].since = due
    move(index, to: due > now ? .delayed : .ready)
    if due > now { delayed.set(index, due) }
  }

  /// Ends a lease without a result.
  private mutating func giveBack(_ index: Int) {
    endLease(index)
    if records[index].isCancelling {
      endWithDependents(index, .cancelled)
    } else if let cause = failedDependency(of: index) {
      endWithDependents(index, .skipped(because: cause))
    } else {
      settle(index)
    }
  }

  /// Ends a lease that has expired: its worker counts as dead.
  private mutating func lose(_ index: Int, since due: ContinuousClock.Instant) {
    records[index].losses = min(records[index].losses, .max - 1) + 1
    records[index].since = due
    let losses = Int(records[index].losses)
    guard !records[index].isCancelling, let limit = rules.lossLimit, losses >= max(1, limit) else {
      return giveBack(index)
    }
    endLease(index)
    endUnsuccessful(index, .failed(.workerLost(losses)))
  }

  /// Frees the places of a leased item; the caller then moves it to another state.
  mutating func endLease(_ index: Int) {
    expiries.remove(index)
    place(on: Int(records[index].host), -1)
  }
}
