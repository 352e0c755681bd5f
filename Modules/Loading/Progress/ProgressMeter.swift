import CurlewCore

/// Counts the bytes of a transfer over all its attempts, without I/O.
///
/// The published count never decreases: an attempt that starts over publishes nothing until it passes the last count.
struct ProgressMeter: Sendable {
  /// The published state.
  struct Shown: Sendable, Hashable {
    var completed: Int64 = 0
    var total: Int64?
    var rate: Double?
    var isFinal = false
    /// Where the first attempt began: the bytes that an earlier transfer has left.
    var start: Int64 = 0
  }

  /// The shortest time between publications, except for a new total and the last one.
  static let interval = Duration.milliseconds(100)

  private(set) var shown = Shown()
  /// Increases with each publication.
  private(set) var version = 0
  /// Whether no publication follows.
  private(set) var isOver = false
  private var position: Int64 = 0
  private var total: Int64?
  private var lastPublished: Moment?

  /// The exact current progress, published or not.
  var current: Shown {
    var current = shown
    current.completed = max(shown.completed, position)
    current.total = total.map { max($0, current.completed) }
    return current
  }

  /// When the bytes that are not published yet are due; nil if everything is published.
  var due: ContinuousClock.Instant? {
    guard !isOver, hasNews, let lastPublished else { return nil }
    return lastPublished.instant.advanced(by: Self.interval)
  }

  /// Records that an attempt's body begins at `offset`; returns true to publish.
  mutating func begin(at offset: Int64, total: Int64?, now: ContinuousClock.Instant) -> Bool {
    guard !isOver else { return false }
    position = max(0, offset)
    if lastPublished == nil { shown.start = position }
    self.total = total
    return publishIfDue(Moment(now))
  }

  /// Adds bytes; returns true to publish.
  mutating func add(_ bytes: Int, now: ContinuousClock.Instant) -> Bool {
    guard !isOver else { return false }
    let (sum, overflow) = position.addingReportingOverflow(Int64(max(0, bytes)))
    position = overflow ? .max : sum
    return publishIfDue(Moment(now))
  }

  /// Sets how much of a body was sent; returns true to publish. The whole body ends the count.
  ///
  /// The body may be sent again, for a redirect or another attempt; this is not published.
  mutating func send(_ bytes: Int64, total: Int64?, now: ContinuousClock.Instant) -> Bool {
    guard !isOver else { return false }
    position = max(0, bytes)
    self.total = total ?? self.total
    guard let length = self.total, position >= length else { return publishIfDue(Moment(now)) }
    end(success: true, now: now)
    return true
  }

  /// Ends the count of a sent body of unknown length, because the response has arrived; returns true to publish.
  ///
  /// A body of known length whose end was not sent is not counted as sent.
  mutating func respond(now: ContinuousClock.Instant) -> Bool {
    guard !isOver, total == nil else { return false }
    end(success: true, now: now)
    return true
  }

  /// Returns true to publish the bytes that are not published yet, if they are due.
  mutating func catchUp(now: ContinuousClock.Instant) -> Bool {
    guard !isOver else { return false }
    return publishIfDue(Moment(now))
  }

  /// Ends the count; after a success there is one last publication.
  mutating func end(success: Bool, now: ContinuousClock.Instant) {
    guard !isOver else { return }
    isOver = true
    version += 1
    guard success else { return }
    publish(Moment(now))
    shown.total = shown.completed
    shown.isFinal = true
  }

  /// Whether the current progress differs from the published one.
  private var hasNews: Bool { current.completed > shown.completed || current.total != shown.total }

  private mutating func publishIfDue(_ now: Moment) -> Bool {
    guard hasNews else { return false }
    let current = current
    if current.completed != current.total, let lastPublished, lastPublished.duration(to: now) < Self.interval {
      return false
    }
    version += 1
    publish(now)
    return true
  }

  private mutating func publish(_ now: Moment) {
    let next = current
    if let lastPublished {
      let seconds = lastPublished.duration(to: now) / .seconds(1)
      if seconds > 0 {
        let latest = Double(next.completed - shown.completed) / seconds
        // A moving average over about half a second smooths a socket's bursts and follows a change within a second.
        let weight = min(1, seconds * 2)
        shown.rate = shown.rate.map { $0 + (latest - $0) * weight } ?? latest
      }
    }
    shown.completed = next.completed
    shown.total = next.total
    lastPublished = now
  }
}
