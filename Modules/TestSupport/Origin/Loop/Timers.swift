import Glibc

/// A point in time of the monotonic clock, in nanoseconds.
package typealias Instant = Int64

/// Returns the current time of the monotonic clock, in nanoseconds.
package func monotonicNow() -> Instant {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
}

extension Duration {
  /// The duration in nanoseconds, at least 0 and at most about 292 years.
  package var nanosecondsClamped: Int64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max / 4 : min(.max / 4, scaled.addingReportingOverflow(attoseconds / 1_000_000_000).partialValue)
  }
}

/// The timers of an event loop: a binary heap, earliest first.
package struct Timers {
  private struct Entry {
    var at: Instant
    var action: () -> Void
  }
  private var heap: [Entry] = []

  /// The time of the earliest timer.
  package var next: Instant? { heap.first?.at }

  package mutating func add(at: Instant, _ action: @escaping () -> Void) {
    heap.append(Entry(at: at, action: action))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].at < heap[parent].at else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Removes and returns the earliest timer if it is due.
  package mutating func popDue(_ now: Instant) -> (() -> Void)? {
    guard let first = heap.first, first.at <= now else { return nil }
    let last = heap.removeLast()
    guard !heap.isEmpty else { return first.action }
    heap[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].at < heap[least].at {
        least = child
      }
      guard least != parent else { return first.action }
      heap.swapAt(least, parent)
      parent = least
    }
  }

  package mutating func removeAll() { heap.removeAll() }
}
