import CurlewCore
import CurlewLoading
import Foundation

extension URLConnectionOperation {
  /// Tells the waiting tasks and the blocks of the outcome, and lets go of everything.
  func conclude() {
    if isCancelled || !super.isReady { forgetDependencies() }
    let (setup, outcome, waiters, early, followers, link, work) = state.withLock { state in
      defer {
        // Nobody needs what the app has set any more, except what it may still read.
        state.setup = state.setup.afterTheEnd
        state.earlyFollowers = []
        state.followers = []
        state.isConcluded = true
        state.link = nil
        state.processWork = nil
      }
      return (
        state.setup, state.outcome, state.waiters.takeAll(), state.earlyFollowers, state.followers, state.link,
        state.processWork
      )
    }
    guard let outcome else { return }
    let result = Result { try outcome.get().value }
    for waiter in waiters { waiter.resume(with: result.map { _ in }) }
    for follower in early { follower() }
    defer { link?.hold(nil) }
    let last = work.map { work in followers + [{ _ in work.end() }] } ?? followers
    guard Self.hasOwnSteps else { return tell(setup, result, last) }
    steps.run { [self] in
      switch result {
      case .success: didFinishLoading()
      case .failure(let error):
        if let challenge = steps.takeOpenChallenge() { didCancel(challenge) }
        didFail(with: error)
      }
      tell(setup, result, last)
    }
  }

  /// Runs the blocks, in order, as one piece of work.
  private func tell(
    _ setup: OperationSetup, _ result: Result<any Sendable, any Error>,
    _ followers: [@Sendable (URLConnectionOperation) -> Void]
  ) {
    let hasBlocks = setup.success != nil || setup.failure != nil || setup.completion != nil
    guard hasBlocks || setup.completionGroup != nil || !followers.isEmpty else { return }
    setup.completionExecutor.run { [self] in
      switch result {
      case .success(let value): setup.success?(self, value)
      case .failure(let error): setup.failure?(self, error)
      }
      setup.completion?()
      for follower in followers { follower(self) }
      setup.completionGroup?.leave()
    }
  }

  /// Takes the operation off the lists of the operations that it depends on.
  ///
  /// They point to their dependents without holding them, and Foundation takes a dependent off only when they finish. One
  /// that is cancelled, or released without a start, is gone before that.
  func forgetDependencies() {
    for dependency in dependencies { removeDependency(dependency) }
  }

  /// Changes what the app has set; ignored once the operation is over, since nothing would look at it.
  func change(_ change: (inout OperationSetup) -> Void) {
    // What is replaced is released outside the lock.
    _ = state.withLock { state -> OperationSetup? in
      guard !state.life.isOver else { return nil }
      let old = state.setup
      change(&state.setup)
      return old
    }
  }
}

extension OperationSetup {
  /// What an operation that is over still shows.
  fileprivate var afterTheEnd: OperationSetup {
    var kept = OperationSetup()
    kept.completionQueue = completionQueue
    // These blocks take the operation as their argument, so that they need not hold it, and a copy has them too.
    kept.answers = answers
    kept.userInfo = userInfo
    kept.postsNotifications = postsNotifications
    kept.responseLimit = responseLimit
    return kept
  }
}
