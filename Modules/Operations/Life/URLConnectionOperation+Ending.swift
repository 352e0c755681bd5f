import CurlewCore
import CurlewLoading
import Foundation

extension URLConnectionOperation {
  /// Tells the waiting tasks and the blocks of the outcome, and lets go of everything.
  func conclude() {
    let (setup, outcome, waiters, followers, link) = state.withLock { state in
      defer {
        // Nobody needs what the app has set any more, except what it may still read.
        state.setup = state.setup.afterTheEnd
        state.followers = []
        state.link = nil
      }
      return (state.setup, state.outcome, state.waiters.takeAll(), state.followers, state.link)
    }
    guard let outcome else { return }
    let result = Result { try outcome.get().value }
    for waiter in waiters { waiter.resume(with: result) }
    defer { link?.hold(nil) }
    guard Self.hasOwnSteps else { return tell(setup, result, followers) }
    steps.run { [self] in
      switch result {
      case .success: didFinishLoading()
      case .failure(let error):
        if let challenge = steps.takeOpenChallenge() { didCancel(challenge) }
        didFail(with: error)
      }
      tell(setup, result, followers)
    }
  }

  /// Runs the blocks, in order, as one piece of work.
  private func tell(
    _ setup: OperationSetup, _ result: Result<any Sendable, any Error>, _ followers: [@Sendable () -> Void]
  ) {
    let hasBlocks = setup.success != nil || setup.failure != nil || setup.completion != nil
    guard hasBlocks || setup.completionGroup != nil || !followers.isEmpty else { return }
    setup.completionExecutor.run { [self] in
      switch result {
      case .success(let value): setup.success?(self, value)
      case .failure(let error): setup.failure?(self, error)
      }
      setup.completion?()
      for follower in followers { follower() }
      setup.completionGroup?.leave()
    }
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
    kept.userInfo = userInfo
    kept.postsNotifications = postsNotifications
    kept.responseLimit = responseLimit
    return kept
  }
}
