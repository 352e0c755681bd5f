public import CurlewCore

/// What is done to a batch, or to one item, while workers work on it.
public enum BatchCommand: Sendable, Hashable {
  /// Begins no item, and has those that run give back their place. An item that was paused alone stays paused after `resume`.
  case pause
  /// Goes on after `pause`.
  case resume
  /// Ends every item that has no result: those that run when their worker says so, all others at once.
  case cancel
  /// Keeps an item from running; one that runs gives back its place. What waits for its dependencies can be paused too.
  case pauseItem(String)
  /// Goes on with an item after `pauseItem`; it waits for a place again.
  case resumeItem(String)
  /// Ends an item: one that runs when its worker says so, any other at once. Its dependents are skipped.
  case cancelItem(String)
  /// Changes the priority of an item. Its waiting time counts on.
  case prioritize(String, RequestPriority)
  /// Replaces the rules; items that run already beyond a smaller limit go on.
  case setRules(BatchRules)
  /// Has every item that failed, was cancelled or was skipped try again as if it were new, and lifts the stop. Results of items
  /// that succeeded stay.
  case reopen
  /// Has one item that ended try again as if it were new, also one that succeeded: its product is gone, for example. Dependents that
  /// have no result and do not run wait for it again; results of dependents stay.
  case reopenItem(String)
}
