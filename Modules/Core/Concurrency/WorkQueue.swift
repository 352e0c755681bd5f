/// Work that one thread at a time carries out, in order, outside the lock that protects it.
///
/// It is how a state machine behind a lock gets its effects carried out: code that changes the state adds work under
/// the lock, asks `begin` there, and, if that is true, takes `next` under the lock and does it outside until there is none. Whoever
/// adds work meanwhile, on another thread or from within that work, leaves it to the thread that drains the queue.
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
