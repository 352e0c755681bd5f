import CurlewCore

/// The progress of a run at one moment.
struct ProgressState {
  /// One running transfer.
  struct Row {
    var name: String
    var progress: TransferProgress
  }

  private struct Active {
    let number: Int
    let meter: TransferMeter
    var counted: Int64 = 0
    var rate: MovingRate

    /// Returns the bytes received since the last call; another attempt starts at zero.
    mutating func takeNew() -> Int64 {
      let received = meter.received
      defer { counted = received }
      return received < counted ? received : received - counted
    }
  }

  let count: Int
  private(set) var done: Int
  private(set) var failed = 0
  private var active: [ObjectIdentifier: Active] = [:]
  private var begun = 0
  private var finishedBytes: Int64
  /// The bytes of finished transfers since the last measurement.
  private var uncounted: Int64 = 0
  private var totalRate: MovingRate?
  /// How many transfers were interrupted, and the bytes that they still lacked; nil if one of them does not know.
  private var left = (count: 0, missing: Int64?.some(0))

  /// - Parameters:
  ///   - count: The number of transfers, with those that were done before.
  ///   - done: How many were done before.
  ///   - bytes: The bytes of those.
  init(count: Int, done: Int = 0, bytes: Int64 = 0) {
    self.count = count
    self.done = done
    finishedBytes = bytes
  }

  mutating func begin(_ meter: TransferMeter, at instant: ContinuousClock.Instant = .now) {
    begun += 1
    active[ObjectIdentifier(meter)] = Active(number: begun, meter: meter, rate: MovingRate(since: instant))
  }

  mutating func end(_ meter: TransferMeter, failed isFailure: Bool) {
    if var ended = active.removeValue(forKey: ObjectIdentifier(meter)) { uncounted += ended.takeNew() }
    finishedBytes += meter.completed
    done += 1
    if isFailure { failed += 1 }
  }

  /// Removes a transfer that was interrupted, which is not done.
  ///
  /// - Parameter comesAgain: Whether it begins again in this run, and counts its bytes then.
  mutating func leave(_ meter: TransferMeter, comesAgain: Bool = false) {
    if var ended = active.removeValue(forKey: ObjectIdentifier(meter)) { uncounted += ended.takeNew() }
    guard !comesAgain else { return }
    finishedBytes += meter.completed
    left.count += 1
    left.missing = left.missing.flatMap { sum in meter.total.map { sum + max(0, $0 - meter.completed) } }
  }

  /// Measures the bytes received since the last call.
  mutating func advance(to instant: ContinuousClock.Instant) {
    var recent = uncounted
    uncounted = 0
    for index in active.values.indices {
      let new = active.values[index].takeNew()
      active.values[index].rate.add(new, at: instant)
      recent += new
    }
    var rate = totalRate ?? MovingRate(since: instant)
    rate.add(recent, at: instant)
    totalRate = rate
  }

  /// The running transfers, oldest first.
  var rows: [Row] {
    active.values.sorted { $0.number < $1.number }.map { active in
      Row(
        name: active.meter.name,
        progress: TransferProgress(
          recent: 0, completed: active.meter.completed, total: active.meter.total, rate: active.rate.value))
    }
  }

  /// The progress of all transfers.
  ///
  /// The total is known once every transfer has begun and knows its own. An interruption does not change it.
  var whole: TransferProgress {
    let completed = active.values.reduce(finishedBytes) { $0 + $1.meter.completed }
    var total = done + active.count + left.count == count ? left.missing.map { finishedBytes + $0 } : nil
    for active in active.values {
      total = total.flatMap { sum in active.meter.total.map { sum + max($0, active.meter.completed) } }
    }
    return TransferProgress(
      recent: 0, completed: completed, total: total, rate: totalRate?.value, isFinal: done == count)
  }
}
