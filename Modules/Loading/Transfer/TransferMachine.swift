/// The state machine of a transfer, independent of tasks, time and bytes.
///
/// Every event has an answer in every state: the effects to carry out, or nil if it is not allowed there and changes
/// nothing. If an attempt ends while the transfer is paused, its result is kept until `resume`. Nothing leaves
/// `finished`.
struct TransferMachine: Hashable, Sendable {
  /// The events of a transfer.
  enum Event: Hashable, Sendable {
    case start, pause, resume, cancel
    /// The deadline has passed.
    case expire
    /// An attempt has produced its value.
    case succeeded(Int)
    /// An attempt has failed; a restartable one may start over after a pause.
    case failed(Int, restartable: Bool)
    /// An attempt cancelled itself, in the app's request builder or an interceptor.
    case withdrawn(Int)
    /// The decision after an attempt was made.
    case decided(Int, RetryVerdict)
    /// The delay before an attempt is over.
    case waited(Int)
    /// A paused attempt releases its connection.
    case released(Int)
    /// An attempt received bytes.
    ///
    /// New ones are bytes that no earlier attempt had received.
    case received(Int, isNews: Bool)
  }

  /// The effects to carry out.
  enum Effect: Hashable, Sendable {
    case begin(Int, AttemptReason)
    /// Pause an attempt in both directions.
    case pause(Int)
    /// Resume an attempt.
    case resume(Int)
    /// Decide whether to retry.
    case decide(Int)
    /// Wait before an attempt.
    case wait(Int, Duration)
    /// Cancel the running attempt, decision or delay.
    case stop
    case finish(Ending)
  }

  /// The end of a transfer.
  enum Ending: Hashable, Sendable {
    case success, failure, cancelled, expired
  }

  /// The current work, whether running or paused.
  private enum Phase: Hashable {
    case nothing
    case attempting
    case deciding(success: Bool)
    case waiting
    /// While paused: the attempt has ended.
    case ended(success: Bool)
    /// While paused: the decision was not to retry.
    case settled(success: Bool)
    /// While paused: `resume` starts an attempt.
    case due(AttemptReason)
  }

  private(set) var state = TransferState.ready
  private var phase = Phase.nothing
  /// The current or next attempt.
  private(set) var number = 0
  /// The number of retries so far.
  private(set) var retries = 0
  /// The number of restarts since bytes were received.
  private var restarts = 0
  /// Whether the policy or the app decides after a success, as after each failure.
  private let asksAfterSuccess: Bool
  /// Whether new bytes reset the count of retries.
  private let startsOver: Bool

  /// The most restarts in a row without receiving bytes.
  static let restartLimit = 8

  init(asksAfterSuccess: Bool, startsOver: Bool = false) {
    self.asksAfterSuccess = asksAfterSuccess
    self.startsOver = startsOver
  }

  /// Handles an event; this is the one table of transitions.
  mutating func handle(_ event: Event) -> [Effect]? {
    // Events of an abandoned attempt are ignored.
    if let attempt = event.attempt, attempt != number { return nil }
    switch (state, event, phase) {
    case (.finished, _, _): return nil
    case (_, .cancel, _): return finish(.cancelled)
    case (_, .expire, _): return finish(.expired)

    case (.ready, .start, _): return begin(.first)
    case (.ready, .pause, _), (.running, .pause, .deciding), (.running, .pause, .waiting): return pause()
    case (.running, .pause, .attempting): return pause(.pause(number))

    case (.paused, .resume, .nothing): return begin(.first)
    case (.paused, .resume, .attempting): return run(.resume(number))
    case (.paused, .resume, .deciding), (.paused, .resume, .waiting): return run()
    case (.paused, .resume, .ended(let success)): return run() + proceed(success)
    case (.paused, .resume, .settled(let success)): return finish(success ? .success : .failure)
    case (.paused, .resume, .due(let reason)): return begin(reason)

    case (.running, .succeeded, .attempting): return proceed(true)
    case (.running, .failed, .attempting): return proceed(false)
    case (.paused, .succeeded, .attempting): return stay(.ended(success: true))
    case (.paused, .failed(_, restartable: false), .attempting): return stay(.ended(success: false))
    case (.paused, .failed(_, restartable: true), .attempting): return next(.due(.resumption))
    case (.paused, .released, .attempting): return [.stop] + next(.due(.resumption))

    case (_, .received(_, let isNews), .attempting): return count(isNews)
    case (_, .withdrawn, .attempting): return finish(.cancelled)

    case (.running, .decided(_, .restart), .deciding) where restarts < Self.restartLimit:
      number += 1
      return begin(.restart)
    case (.paused, .decided(_, .restart), .deciding) where restarts < Self.restartLimit: return next(.due(.restart))
    case (.running, .decided(_, .finish), .deciding(let success)),
      (.running, .decided(_, .restart), .deciding(let success)):
      return finish(success ? .success : .failure)
    case (.paused, .decided(_, .finish), .deciding(let success)),
      (.paused, .decided(_, .restart), .deciding(let success)):
      return stay(.settled(success: success))
    case (_, .decided(_, .retry(let wait)), .deciding): return next(.waiting) + [.wait(number, wait)]
    case (.running, .waited, .waiting): return begin(.retry)
    case (.paused, .waited, .waiting): return stay(.due(.retry))

    default: return nil
    }
  }

  private mutating func begin(_ reason: AttemptReason) -> [Effect] {
    if reason == .first { number = 1 }
    if reason == .retry { retries += 1 }
    if reason == .restart { restarts += 1 }
    phase = .attempting
    return run(.begin(number, reason))
  }

  /// Records received bytes.
  private mutating func count(_ isNews: Bool) -> [Effect] {
    restarts = 0
    if startsOver, isNews { retries = 0 }
    return []
  }

  /// Handles the end of an attempt while the transfer is running.
  private mutating func proceed(_ success: Bool) -> [Effect] {
    if success, !asksAfterSuccess { return finish(.success) }
    return stay(.deciding(success: success), .decide(number))
  }

  private mutating func finish(_ ending: Ending) -> [Effect] {
    state = .finished
    phase = .nothing
    switch ending {
    case .success, .failure: return [.finish(ending)]
    case .cancelled, .expired: return [.stop, .finish(ending)]
    }
  }

  private mutating func pause(_ effects: Effect...) -> [Effect] {
    state = .paused
    return effects
  }

  private mutating func run(_ effects: Effect...) -> [Effect] {
    state = .running
    return effects
  }

  private mutating func stay(_ phase: Phase, _ effects: Effect...) -> [Effect] {
    self.phase = phase
    return effects
  }

  private mutating func next(_ phase: Phase) -> [Effect] {
    number += 1
    return stay(phase)
  }
}

extension TransferMachine.Event {
  /// The attempt that the event belongs to; nil if it concerns the whole transfer.
  var attempt: Int? {
    switch self {
    case .start, .pause, .resume, .cancel, .expire: nil
    case .succeeded(let number), .failed(let number, _), .withdrawn(let number), .decided(let number, _),
      .waited(let number), .released(let number), .received(let number, _):
      number
    }
  }
}
