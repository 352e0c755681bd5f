/// Work that one thread at a time carries out, in order, outside the lock that protects it.
///
/// A state machine behind a lock gets its effects carried out with it. Code that changes the state adds work and calls `begin`, both under
/// the lock. If `begin` returns true, this thread drains the queue: it takes `next` under the lock and does the work outside, until there is
/// none. Work that is added meanwhile, by another thread or by the work itself, is left to the thread that drains.
///
/// Everything is inlinable, like `Waiters`.
@usableFromInline package struct WorkQueue<Work> {
  @usableFromInline var waiting = ShortList<Work>()
  @usableFromInline var isDraining = false

  @inlinable package init() {}

  /// Whether no thread drains the queue.
  @inlinable package var isAtRest: Bool { !isDraining }

  /// Adds work behind what is waiting.
  @inlinable package mutating func add(_ work: Work) { waiting.append(work) }

  /// Returns whether the caller must drain the queue; otherwise another thread does.
  @inlinable package mutating func begin() -> Bool {
    defer { isDraining = true }
    return !isDraining
  }

  /// Removes and returns the next work; nil ends the draining.
  @inlinable package mutating func next() -> Work? {
    let work = waiting.popFirst()
    if work == nil { isDraining = false }
    return work
  }
}

extension WorkQueue: Sendable where Work: Sendable {}
