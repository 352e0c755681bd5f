import CurlewDownload
import FoundationEssentials

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

/// The identifiers of partial files that the unfinished downloads of a manager use.
///
/// A download into a directory has no file name until its response arrives; its URL identifies its bytes. Two downloads of one
/// URL into one directory would share a partial file, and the second would fail. The second one therefore gets the first free
/// number as part of its identifier. The numbers are the same in each process, so a later download still finds the bytes of an
/// earlier one.
struct FileReservations: Sendable {
  private var reservations: [PartialKey: Int] = [:]

  /// Claims the partial file of a new download.
  ///
  /// - Parameter isResumed: Whether resume data name the bytes, so that only these will do.
  /// - Returns: The target, perhaps with another identifier, and what to release at the end; nil if a path identifies it.
  mutating func claim(_ target: DownloadTarget, for url: URL, isResumed: Bool) -> (DownloadTarget, PartialKey?) {
    guard let key = target.partialKey(for: url) else { return (target, nil) }
    // The app's own identifier and that of resume data say which bytes are meant.
    guard !isResumed, target.identifier == nil, reservations[key] != nil else {
      reservations[key, default: 0] += 1
      return (target, key)
    }
    var number = 2
    while true {
      let numbered = target.identified(by: "\(key.identifier)#\(number)")
      if let key = numbered.partialKey(for: url), reservations[key] == nil {
        reservations[key] = 1
        return (numbered, key)
      }
      number += 1
    }
  }

  /// Releases what a download has claimed.
  mutating func release(_ key: PartialKey) {
    guard let count = reservations[key] else { return }
    reservations[key] = count == 1 ? nil : count - 1
  }
}
