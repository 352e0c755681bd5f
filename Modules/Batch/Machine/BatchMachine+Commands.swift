import CurlewCore

extension BatchMachine {
  /// See `BatchStore.apply`.
  mutating func apply(_ command: BatchCommand, at now: ContinuousClock.Instant) throws(BatchError) -> Bool {
    advance(to: now)
    let hasChanged = try carryOut(command, at: now)
    if hasChanged { revision += 1 }
    return hasChanged
  }

  private mutating func carryOut(_ command: BatchCommand, at now: ContinuousClock.Instant) throws(BatchError) -> Bool {
    switch command {
    case .pause, .resume:
      let old = isPaused
      isPaused = command == .pause
      return isPaused != old
    case .cancel: return cancelAll()
    case .pauseItem(let name): return hold(try index(of: name))
    case .resumeItem(let name): return unhold(try index(of: name), at: now)
    case .cancelItem(let name): return cancel(try index(of: name))
    case .prioritize(let name, let priority): return prioritize(try index(of: name), priority.rawValue)
    case .setRules(let rules):
      let old = self.rules
      self.rules = rules
      for host in running.indices { updateHost(host) }
      return rules != old
    case .reopen: return reopenAll(at: now)
    case .reopenItem(let name): return reopenOne(try index(of: name), at: now)
    }
  }

  private mutating func cancelAll() -> Bool {
    let hasAny = records.contains { $0.state != .ended && !$0.isCancelling }
    endAll(.cancelled)
    return hasAny
  }

  private mutating func hold(_ index: Int) -> Bool {
    guard records[index].state != .ended, !records[index].isHeld else { return false }
    records[index].isHeld = true
    if records[index].state != .leased { move(index, to: .paused) }
    return true
  }

  private mutating func unhold(_ index: Int, at now: ContinuousClock.Instant) -> Bool {
    guard records[index].isHeld, records[index].state != .ended else { return false }
    records[index].isHeld = false
    guard records[index].state == .paused else { return true }
    records[index].since = now
    settle(index)
    return true
  }

  private mutating func cancel(_ index: Int) -> Bool {
    guard records[index].state != .ended, !records[index].isCancelling else { return false }
    if records[index].state == .leased {
      records[index].isCancelling = true
    } else {
      endWithDependents(index, .cancelled)
    }
    return true
  }

  private mutating func prioritize(_ index: Int, _ priority: Int8) -> Bool {
    guard records[index].state != .ended, records[index].priority != priority else { return false }
    let state = records[index].state
    if state == .ready { queue.remove(index, from: records[index].lane) }
    records[index].priority = priority
    if state == .ready { queue.insert(index, in: records[index].lane, since: records[index].since) }
    return true
  }

  private mutating func reopenAll(at now: ContinuousClock.Instant) -> Bool {
    let reopened = records.indices.filter { index in
      records[index].state == .ended && !(outcomes[Int(records[index].position) - 1]?.result.isSuccess ?? true)
    }
    let wasStopped = stoppedBy != nil
    stoppedBy = nil
    for index in reopened { reopen(index) }
    for index in reopened { begin(index, at: now) }
    return wasStopped || !reopened.isEmpty
  }

  /// Lets one item run again; its dependents without a result wait for it again.
  private mutating func reopenOne(_ index: Int, at now: ContinuousClock.Instant) -> Bool {
    guard records[index].state == .ended else { return false }
    let hasSucceeded = outcomes[Int(records[index].position) - 1]?.result.isSuccess ?? false
    reopen(index)
    // The dependents come first, so that they are skipped with the item if it cannot run.
    for dependent in records[index].dependents.map({ Int($0) }) where hasSucceeded {
      guard records[dependent].state != .ended else { continue }
      records[dependent].missing += 1
      if [.ready, .delayed].contains(records[dependent].state) { move(dependent, to: .blocked) }
    }
    begin(index, at: now)
    return true
  }
}
