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
    var rate: Double?

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
  private var lastInstant: ContinuousClock.Instant?
  private var totalRate: Double?

  /// - Parameters:
  ///   - count: The number of transfers, with those that were done before.
  ///   - done: How many were done before.
  ///   - bytes: The bytes of those.
  init(count: Int, done: Int = 0, bytes: Int64 = 0) {
    self.count = count
    self.done = done
    finishedBytes = bytes
  }

  mutating func begin(_ meter: TransferMeter) {
    begun += 1
    active[ObjectIdentifier(meter)] = Active(number: begun, meter: meter)
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
    if !comesAgain { finishedBytes += meter.completed }
  }

  /// Measures the bytes received since the last call.
  mutating func advance(to instant: ContinuousClock.Instant) {
    defer { lastInstant = instant }
    let seconds = lastInstant.map { $0.duration(to: instant).inSeconds } ?? 0
    var recent = uncounted
    uncounted = 0
    for index in active.values.indices {
      let new = active.values[index].takeNew()
      active.values[index].rate = Self.smoothed(active.values[index].rate, new, seconds)
      recent += new
    }
    totalRate = Self.smoothed(totalRate, recent, seconds)
  }

  /// The rate as a moving average over about a second.
  private static func smoothed(_ old: Double?, _ bytes: Int64, _ seconds: Double) -> Double? {
    guard seconds > 0 else { return old }
    let rate = Double(bytes) / seconds
    guard let old else { return rate }
    let weight = min(1, seconds)
    return old + (rate - old) * weight
  }

  /// The running transfers, oldest first.
  var rows: [Row] {
    active.values.sorted { $0.number < $1.number }.map { active in
      Row(
        name: active.meter.name,
        progress: TransferProgress(
          recent: 0, completed: active.meter.completed, total: active.meter.total, rate: active.rate))
    }
  }

  /// The progress of all transfers.
  ///
  /// The total is known once every transfer has begun and knows its own.
  var whole: TransferProgress {
    let completed = active.values.reduce(finishedBytes) { $0 + $1.meter.completed }
    var total: Int64? = done + active.count == count ? finishedBytes : nil
    for active in active.values {
      total = total.flatMap { sum in active.meter.total.map { sum + max($0, active.meter.completed) } }
    }
    return TransferProgress(recent: 0, completed: completed, total: total, rate: totalRate, isFinal: done == count)
  }
}
