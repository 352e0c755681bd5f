import CurlewCore
import CurlewLoading
import Dispatch
import Foundation
import Synchronization

extension URLConnectionOperation {
  /// The values of `readiness`.
  enum Readiness {
    /// The operation is paused or started, so a queue must not start it.
    static let no: UInt8 = 0
    /// The operation is ready when its dependencies have finished.
    static let dependent: UInt8 = 1
    /// The operation was cancelled or has finished, whatever its dependencies are.
    static let yes: UInt8 = 2
  }

  /// Updates `readiness` after a change of `state.life`; call it under the lock.
  func noteReadiness(of life: OperationLife) {
    let dependent = life.isReady ? Readiness.dependent : Readiness.no
    readiness.store(life.isReady && (life.isCancelled || life.isOver) ? Readiness.yes : dependent, ordering: .releasing)
  }

  /// Handles a call of the app or of a queue.
  ///
  /// A refused call is reported and changes nothing.
  @discardableResult
  func take(_ event: OperationLife.Event, as call: OperationCall) -> Bool {
    let (isTaken, drains) = state.withLock { state -> (Bool, Bool) in
      let effects = state.life.handle(event)
      noteReadiness(of: state.life)
      state.work.add(effects ?? [.report(.refused(call, in: state.life.state))])
      return (effects != nil, state.work.begin())
    }
    if drains { drain() }
    return isTaken
  }

  /// Reports a call that is refused for another reason than the state.
  func refuse(_ call: OperationCall) {
    let drains = state.withLock { state in
      state.work.add([.report(.refused(call, in: state.life.state))])
      return state.work.begin()
    }
    if drains { drain() }
  }

  /// Sets the outcome if there is none yet, which makes `isFinished` true.
  func settle(_ outcome: TransferOutcome<OperationResult>, by event: OperationLife.Event) {
    let drains = state.withLock { state in
      guard let effects = state.life.handle(event) else { return false }
      noteReadiness(of: state.life)
      state.outcome = outcome
      // Entering only counts; the group is left after the blocks have run.
      state.setup.completionGroup?.enter()
      state.work.add(effects)
      return state.work.begin()
    }
    if drains { drain() }
  }

  /// Carries out effects in order, on one thread at a time.
  private func drain() {
    while let effects = state.withLock({ $0.work.next() }) {
      for effect in effects { perform(effect) }
    }
  }

  private func perform(_ effect: OperationLife.Effect) {
    switch effect {
    case .launch: launch()
    case .pause:
      let (transfer, link) = running
      transfer?.pause()
      link?.pause()
    case .resume:
      let (transfer, link) = running
      link?.hold(self)
      transfer?.resume()
    case .stop: running.0?.cancel()
    case .announceReadiness: didChangeValue(forKey: "isReady")
    case .announceEnd: didChangeValue(forKey: "isFinished")
    case .conclude: conclude()
    case .report(let event): report(event)
    }
  }

  private var running: (Transfer<OperationResult>?, OperationLink?) { state.withLock { ($0.transfer, $0.link) } }

  /// Creates the transfer and starts it.
  private func launch() {
    guard !isFinished else { return }
    didChangeValue(forKey: "isExecuting")
    let link = OperationLink(self)
    do {
      let transfer = try makeTransfer(link, try exchangeSettings(link))
      let (upload, download) = state.withLock { state in
        state.transfer = transfer
        state.link = link
        return (state.setup.upload, state.setup.download)
      }
      if let upload { transfer.uploadProgress.observe(on: upload.executor, upload.handler) }
      if let download { transfer.downloadProgress.observe(on: download.executor, download.handler) }
      transfer.onEnd { outcome in link.operation?.settle(outcome, by: .ended) }
      transfer.start()
    } catch {
      settle(.failure(error), by: .ended)
    }
  }
}

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
