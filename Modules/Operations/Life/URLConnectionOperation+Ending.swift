import CurlewCore
import CurlewLoading
import Foundation

extension URLConnectionOperation {
  /// Delivers the outcome to tasks and blocks, and releases everything else.
  func conclude() {
    if isCancelled || !super.isReady { forgetDependencies() }
    let (setup, outcome, waiters, early, followers, link, work) = state.withLock { state in
      defer {
        // Release the app's settings, except those that it may still read.
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
    defer { link?.end() }
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

  /// Runs the blocks in order, as one piece of work.
  private func tell(
    _ setup: OperationSetup, _ result: Result<any Sendable, any Error>,
    _ followers: [@Sendable (URLConnectionOperation) -> Void]
  ) {
    let hasBlocks = setup.success != nil || setup.failure != nil || setup.completion != nil
    guard hasBlocks || setup.completionGroup != nil || !followers.isEmpty else { return told() }
    setup.completionExecutor.run { [self] in
      switch result {
      case .success(let value): setup.success?(self, value)
      case .failure(let error): setup.failure?(self, error)
      }
      setup.completion?()
      for follower in followers { follower(self) }
      setup.completionGroup?.leave()
      told()
    }
  }

  /// Notes that the blocks have returned.
  private func told() {
    let waiters = state.withLock { state in
      state.isTold = true
      return state.waiters.takeAll()
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Removes the operation from the lists of its dependencies.
  ///
  /// Dependencies refer to their dependents without retaining them, and Foundation removes a dependent only when they finish.
  /// A dependent that was cancelled, or released without a start, no longer exists by then.
  func forgetDependencies() {
    for dependency in dependencies { removeDependency(dependency) }
  }

  /// Changes a setting; does nothing once the operation has finished.
  func change(_ change: (inout OperationSetup) -> Void) {
    // Release the replaced value outside the lock.
    _ = state.withLock { state -> OperationSetup? in
      guard !state.life.isOver else { return nil }
      let old = state.setup
      change(&state.setup)
      return old
    }
  }
}

extension OperationSetup {
  /// The settings that a finished operation still shows.
  fileprivate var afterTheEnd: OperationSetup {
    var kept = OperationSetup()
    kept.completionQueue = completionQueue
    // These blocks receive the operation as an argument, so they need not retain it, and copies have them too.
    kept.answers = answers
    kept.userInfo = userInfo
    kept.postsNotifications = postsNotifications
    kept.responseLimit = responseLimit
    return kept
  }
}
