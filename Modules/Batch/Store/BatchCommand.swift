public import CurlewCore

/// A change of a batch, or of one item, while workers work on it.
public enum BatchCommand: Sendable, Hashable {
  /// Pauses the batch: no item begins, and running ones give back their places.
  ///
  /// An item that was itself paused stays paused after `resume`.
  case pause
  /// Continues the batch after `pause`.
  case resume
  /// Cancels every item without a result.
  ///
  /// A running item ends when its worker reports it, others end at once.
  case cancel
  /// Pauses one item; if it is running, it gives back its place.
  ///
  /// An item that waits for its dependencies can be paused too.
  case pauseItem(String)
  /// Continues an item after `pauseItem`; it waits for a place again.
  case resumeItem(String)
  /// Cancels one item; its dependents are skipped.
  ///
  /// A running item ends when its worker reports it, others end at once.
  case cancelItem(String)
  /// Changes the priority of an item, which keeps its waiting time.
  case prioritize(String, RequestPriority)
  /// Replaces the rules; running items beyond a smaller limit continue.
  case setRules(BatchRules)
  /// Retries every failed, cancelled or skipped item, and lifts the stop.
  ///
  /// The items start as if they were new. The results of items that succeeded stay.
  case reopen
  /// Repeats one item that has ended, even if it succeeded.
  ///
  /// This is useful when its product was lost. The item starts as if it were new. Dependents without a result that are not
  /// running wait for it again; the results of other dependents stay.
  case reopenItem(String)
}
