import CurlewCore
import CurlewRequests

/// The items of a batch and their states, according to the rules of `BatchStore`.
///
/// It performs no I/O, and its callers pass the time. Each decision takes O(log n), plus O(1) for each item that it changes.
struct BatchMachine: Sendable {
  struct Outcome: Sendable {
    var index: Int32
    var result: BatchResult
  }

  private(set) var names = ItemTable<Int32>()
  private var hosts: [String: Int32] = [:]
  /// The names of the hosts by number; 0 stands for no host.
  private(set) var hostNames: [String] = [""]
  var records: [BatchRecord] = []
  /// The outcomes by position, from 1; nil for an item that was reopened.
  var outcomes: [Outcome?] = []

  var rules = BatchRules()
  var isPaused = false
  var stoppedBy: String?
  var revision: Int64 = 0
  var lastToken: Int64 = 0
  var wasOverdue = false

  var queue = ReadyQueue()
  /// The items that wait before a retry, by the end of their wait.
  var delayed = IndexedHeap<ContinuousClock.Instant>()
  /// The leases, by their expiry.
  var expiries = IndexedHeap<ContinuousClock.Instant>()
  /// The number of leased items of each host.
  var running: [Int] = [0]
  /// The number of items in each state, by the state's raw value.
  private var counts = [Int](repeating: 0, count: 6)
  var endedCounts = EndedCounts()
  var progress = BatchProgress()

  /// The number of ended items for each kind of result.
  struct EndedCounts: Sendable {
    var succeeded = 0
    var failed = 0
    var cancelled = 0
    var skipped = 0

    mutating func add(_ result: BatchResult, _ number: Int) {
      switch result {
      case .succeeded: succeeded += number
      case .failed: failed += number
      case .cancelled: cancelled += number
      case .skipped: skipped += number
      }
    }
  }

  init(_ rules: BatchRules = BatchRules()) { self.rules = rules }

  func count(_ state: BatchRecord.State) -> Int { counts[Int(state.rawValue)] }

  /// Moves an item from its current state to another.
  mutating func move(_ index: Int, to state: BatchRecord.State) {
    let old = records[index].state
    counts[Int(old.rawValue)] -= 1
    counts[Int(state.rawValue)] += 1
    records[index].state = state
    if old == .ready { queue.remove(index, from: records[index].lane) }
    if old == .delayed { delayed.remove(index) }
    if state == .ready { queue.insert(index, in: records[index].lane, since: records[index].since) }
  }

  /// Returns the index of an item.
  func index(of name: String) throws(BatchError) -> Int {
    guard let index = names[name] else {
      throw BatchError(.unknownItem, item: name, "the store has no item of this name")
    }
    return Int(index)
  }

  // MARK: Adding

  /// Adds items; see `BatchStore.add`.
  mutating func add(_ items: [BatchItem], at now: ContinuousClock.Instant) throws(BatchError) -> Int {
    let graph = try BatchGraph(items)
    for outside in graph.outside where names[outside.name] == nil { throw outside.unknown }
    for item in items {
      guard let index = names[item.name], !isEqual(item, Int(index)) else { continue }
      throw BatchError(.conflictingItem, item: item.name, "the store has an item of this name that differs from it")
    }
    let new = items.indices.filter { names[items[$0].name] == nil }
    let base = records.count
    for (offset, index) in new.enumerated() { names[items[index].name] = Int32(base + offset) }
    for index in new { append(items[index], at: now) }
    for index in base..<records.count { connect(index) }
    // An item may be skipped already, with one that it depends on.
    for index in base..<records.count where records[index].state != .ended { begin(index, at: now) }
    if !new.isEmpty { revision += 1 }
    return new.count
  }

  private func isEqual(_ item: BatchItem, _ index: Int) -> Bool {
    let record = records[index]
    return item.job == record.job && item.input == record.input && item.expectedBytes == record.expectedBytes
      && item.host ?? "" == hostNames[Int(record.host)]
      && item.dependencies.elementsEqual(record.dependencies.lazy.map { records[Int($0)].name })
  }

  private mutating func append(_ item: BatchItem, at now: ContinuousClock.Instant) {
    let dependencies = item.dependencies.compactMap { names[$0] }
    records.append(BatchRecord(item, host: number(of: item.host), dependencies: dependencies, at: now))
    counts[Int(BatchRecord.State.blocked.rawValue)] += 1
    progress.items += 1
    if let size = item.expectedBytes { progress.size(nil, size) }
  }

  private mutating func number(of host: String?) -> Int32 {
    guard let host else { return 0 }
    if let number = hosts[host] { return number }
    let number = Int32(hostNames.count)
    hosts[host] = number
    hostNames.append(host)
    running.append(0)
    return number
  }

  /// Connects a new item to its dependencies.
  private mutating func connect(_ index: Int) {
    for dependency in records[index].dependencies {
      records[Int(dependency)].dependents.append(Int32(index))
    }
  }

  /// Determines the state of an item without a result from its dependencies.
  mutating func begin(_ index: Int, at now: ContinuousClock.Instant) {
    records[index].missing = Int32(records[index].dependencies.count { !(result(of: Int($0))?.isSuccess ?? false) })
    records[index].since = now
    if let cause = stoppedBy ?? failedDependency(of: index) {
      endWithDependents(index, .skipped(because: cause))
    } else {
      settle(index)
    }
  }

  /// Moves an item without a lease and without a failed dependency to the state in which it waits.
  mutating func settle(_ index: Int) {
    let record = records[index]
    move(index, to: record.isHeld ? .paused : record.missing > 0 ? .blocked : .ready)
  }

  /// Returns the result of an item; nil if it has not ended.
  func result(of index: Int) -> BatchResult? {
    records[index].state == .ended ? outcomes[Int(records[index].position) - 1]?.result : nil
  }

  /// Returns the name of the item for which an item must be skipped; nil if none of its dependencies has failed.
  ///
  /// Among several dependencies without success, the one that ended first counts.
  func failedDependency(of index: Int) -> String? {
    guard records[index].missing > 0 else { return nil }
    let failed = records[index].dependencies.filter { result(of: Int($0)).map { !$0.isSuccess } ?? false }
    return failed.min { records[Int($0)].position < records[Int($1)].position }
      .map { result(of: Int($0))?.cause ?? records[Int($0)].name }
  }

  // MARK: Reading

  /// Returns the item of a record.
  func item(_ index: Int) -> BatchItem {
    let record = records[index]
    return BatchItem(
      record.name, job: record.job, input: record.input,
      dependencies: record.dependencies.map { records[Int($0)].name },
      host: record.host == 0 ? nil : hostNames[Int(record.host)],
      priority: RequestPriority(rawValue: record.priority), expectedBytes: record.expectedBytes)
  }

  /// Whether every item has a result.
  var isComplete: Bool { count(.ended) == records.count }

  /// See `BatchStore.summary`.
  mutating func summary(at now: ContinuousClock.Instant) -> BatchSummary {
    advance(to: now)
    var summary = BatchSummary()
    summary.blocked = count(.blocked)
    summary.ready = count(.ready) + count(.delayed)
    summary.running = count(.leased)
    summary.paused = count(.paused)
    summary.succeeded = endedCounts.succeeded
    summary.failed = endedCounts.failed
    summary.cancelled = endedCounts.cancelled
    summary.skipped = endedCounts.skipped
    summary.isPaused = isPaused
    summary.stoppedBy = stoppedBy
    summary.rules = rules
    summary.progress = progress
    summary.revision = revision
    return summary
  }

  /// See `BatchStore.outcomes`.
  func outcomes(after position: Int64, limit: Int) -> [BatchOutcome] {
    var found: [BatchOutcome] = []
    var next = Int(clamping: max(0, position))
    while next < outcomes.count, found.count < limit {
      if let outcome = outcomes[next] {
        found.append(
          BatchOutcome(
            position: Int64(next + 1), name: records[Int(outcome.index)].name, result: outcome.result))
      }
      next += 1
    }
    return found
  }
}

extension BatchResult {
  /// The name of the failed item that caused the skip; nil for other results.
  var cause: String? {
    if case .skipped(let cause) = self { return cause }
    return nil
  }
}

extension BatchProgress {
  /// Replaces an item's known size in the sums.
  mutating func size(_ old: Int64?, _ new: Int64?) {
    sizedItems += (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
    // Absurd sizes would overflow, so the sums wrap; the fraction is limited.
    sizedBytes = sizedBytes &+ (new ?? 0) &- (old ?? 0)
  }
}

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
