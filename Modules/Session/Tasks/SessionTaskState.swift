/// The states of a session task.
public enum SessionTaskState: String, Sendable, Hashable, CaseIterable {
  /// The task waits for `resume`; every task begins in this state.
  case suspended
  /// The task is running, or waiting before a retry.
  case running
  /// A cancelled download is storing its bytes and releasing its file; the outcome is known then.
  case canceling
  /// The task has its outcome, which is final.
  case completed
}
