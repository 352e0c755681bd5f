/// The sessions of a manager and the tasks of each, without I/O.
///
/// A manager has one session at a time. An invalidated session ends when its last task has ended; its successor is in use
/// before that.
struct SessionLedger: Sendable {
  /// The result of an invalidation.
  struct Invalidation: Equatable {
    /// The tasks of the session that have not ended.
    var tasks: Set<Int>
    /// Whether the session has ended, because it has no tasks.
    var hasEnded: Bool { tasks.isEmpty }
  }

  /// The number of the current session, from 1.
  private(set) var current = 1
  /// Whether the current session only refuses tasks, because its predecessor was invalidated and not replaced.
  private(set) var isInvalidated = false
  /// The session of each task.
  private var places: [Int: Int] = [:]
  /// The number of tasks of each invalidated session that has any.
  private var ending: [Int: Int] = [:]

  /// The number of tasks that have not ended.
  var count: Int { places.count }

  /// Adds a task to the current session.
  ///
  /// - Parameter other: A task that it continues, whose session it joins; nil for a task of its own.
  mutating func enter(_ id: Int, continuing other: Int? = nil) {
    let session = other.flatMap { places[$0] } ?? current
    places[id] = session
    if let others = ending[session] { ending[session] = others + 1 }
  }

  /// Removes a task that has ended.
  ///
  /// - Returns: Whether an invalidated session has thereby ended.
  mutating func leave(_ id: Int) -> Bool {
    guard let session = places.removeValue(forKey: id), let count = ending[session] else { return false }
    ending[session] = count > 1 ? count - 1 : nil
    return count == 1
  }

  /// Ends the current session, and begins the next one.
  ///
  /// - Parameter reset: Whether the next one takes tasks.
  /// - Returns: Nil if the current session was invalid already.
  mutating func invalidate(reset: Bool) -> Invalidation? {
    let wasInvalidated = isInvalidated
    guard !wasInvalidated || reset else { return nil }
    let invalidation = Invalidation(tasks: Set(places.filter { $0.value == current }.keys))
    if !wasInvalidated, !invalidation.hasEnded { ending[current] = invalidation.tasks.count }
    current += 1
    isInvalidated = !reset
    return wasInvalidated ? nil : invalidation
  }
}
