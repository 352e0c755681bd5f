/// The life of a transfer, as a value that knows nothing of tasks, time and bytes.
///
/// Every event is answered in every state: with what to do next, or with nil where it is not legal there, which changes
/// nothing. An attempt that ends while the transfer is paused is kept until it is resumed. Nothing leaves `finished`.
struct TransferMachine: Hashable, Sendable {
  /// What happens to a transfer.
  enum Event: Hashable, Sendable {
    case start, pause, resume, cancel
    /// The deadline passed.
    case expire
    /// An attempt made its value.
    case succeeded(Int)
    /// An attempt failed; a paused transfer may begin a restartable one again when it is resumed.
    case failed(Int, restartable: Bool)
    /// An attempt was cancelled by something in it: the app's request builder, an interceptor.
    case withdrawn(Int)
    /// It was decided whether to try again after an attempt.
    case decided(Int, RetryVerdict)
    /// The wait before an attempt is over.
    case waited(Int)
    /// A held attempt gives its connection up.
    case released(Int)
  }

  /// What is to be done.
  enum Effect: Hashable, Sendable {
    case begin(Int, AttemptReason)
    /// Stop pulling.
    case hold(Int)
    /// Pull again.
    case letGo(Int)
    /// Decide whether to try again.
    case decide(Int)
    /// Wait before an attempt.
    case wait(Int, Duration)
    /// End the attempt, the decision or the wait that goes on.
    case stop
    case finish(Ending)
  }

  /// How it ended.
  enum Ending: Hashable, Sendable {
    case success, failure, cancelled, expired
  }

  /// What goes on, running or paused alike.
  private enum Phase: Hashable {
    case nothing
    case attempting
    case deciding(success: Bool)
    case waiting
    /// Paused: the attempt ended.
    case ended(success: Bool)
    /// Paused: it was decided to try no more.
    case settled(success: Bool)
    /// Paused: an attempt begins with `resume`.
    case due(AttemptReason)
  }

  private(set) var state = TransferState.ready
  private var phase = Phase.nothing
  /// The attempt that is made, or will be next.
  private var number = 0
  /// How many retries were begun.
  private(set) var retries = 0
  /// Whether something is to be decided after each attempt.
  private let asks: Bool

  init(asks: Bool) { self.asks = asks }

  /// The one table of transitions.
  mutating func handle(_ event: Event) -> [Effect]? {
    // What an attempt that was given up still has to say is not news.
    if let attempt = event.attempt, attempt != number { return nil }
    switch (state, event, phase) {
    case (.finished, _, _): return nil
    case (_, .cancel, _): return finish(.cancelled)
    case (_, .expire, _): return finish(.expired)

    case (.ready, .start, _): return begin(.first)
    case (.ready, .pause, _), (.running, .pause, .deciding), (.running, .pause, .waiting): return pause()
    case (.running, .pause, .attempting): return pause(.hold(number))

    case (.paused, .resume, .nothing): return begin(.first)
    case (.paused, .resume, .attempting): return run(.letGo(number))
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

    case (_, .withdrawn, .attempting): return finish(.cancelled)

    case (.running, .decided(_, .finish), .deciding(let success)): return finish(success ? .success : .failure)
    case (.paused, .decided(_, .finish), .deciding(let success)): return stay(.settled(success: success))
    case (_, .decided(_, .retry(let wait)), .deciding): return next(.waiting) + [.wait(number, wait)]
    case (.running, .waited, .waiting): return begin(.retry)
    case (.paused, .waited, .waiting): return stay(.due(.retry))

    default: return nil
    }
  }

  private mutating func begin(_ reason: AttemptReason) -> [Effect] {
    if reason == .first { number = 1 }
    if reason == .retry { retries += 1 }
    phase = .attempting
    return run(.begin(number, reason))
  }

  /// The attempt ended while the transfer runs.
  private mutating func proceed(_ success: Bool) -> [Effect] {
    guard asks else { return finish(success ? .success : .failure) }
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
  /// The attempt it speaks of; nil where it speaks of the whole.
  var attempt: Int? {
    switch self {
    case .start, .pause, .resume, .cancel, .expire: nil
    case .succeeded(let number), .failed(let number, _), .withdrawn(let number), .decided(let number, _),
      .waited(let number), .released(let number):
      number
    }
  }
}
