import CurlewCore

/// Cancels an exchange at its deadline, before or after its head has arrived.
final class DeadlineWatch: Sendable {
  private struct State {
    var hasPassed = false
    var isOver = false
    var timer: Task<Void, Never>?
    /// Cancels what is running at the moment.
    var stop: (@Sendable () -> Void)?
  }

  private let state = Guarded(State())
  private let deadline: ContinuousClock.Instant
  private let clock: any NetworkClock
  private let request: Request

  init(_ deadline: ContinuousClock.Instant, _ clock: any NetworkClock, _ request: Request) {
    self.deadline = deadline
    self.clock = clock
    self.request = request
  }

  /// Runs the operation that returns the head.
  func head(_ operation: @escaping @Sendable () async throws -> Response) async throws -> Response {
    guard clock.now < deadline else { throw Self.passed(.preparing, request, maybeProcessed: false) }
    let task = Task { try await operation() }
    watch { task.cancel() }
    start()
    do {
      let response = try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
      return response
    } catch {
      throw ended(by: error, .awaitingHead)
    }
  }

  /// Sets what to cancel at the deadline; cancels it at once if that has passed.
  func watch(_ stop: @escaping @Sendable () -> Void) {
    let hasPassed = state.withLock { state in
      state.stop = stop
      return state.hasPassed
    }
    if hasPassed { stop() }
  }

  /// Stops watching.
  func end() {
    let timer = state.withLock { state in
      state.isOver = true
      state.stop = nil
      defer { state.timer = nil }
      return state.timer
    }
    timer?.cancel()
  }

  /// Stops watching and returns the error to throw.
  func ended(by error: any Error, _ stage: NetworkError.Stage) -> any Error {
    end()
    guard error is CancellationError, state.withLock({ $0.hasPassed }) else { return error }
    return Self.passed(stage, request, maybeProcessed: true)
  }

  private func start() {
    let timer = Task { [weak self, clock, deadline] in
      guard (try? await clock.sleep(until: deadline)) != nil else { return }
      self?.pass()
    }
    let isOver = state.withLock { state in
      state.timer = timer
      return state.isOver
    }
    if isOver { timer.cancel() }
  }

  private func pass() {
    let stop = state.withLock { state -> (@Sendable () -> Void)? in
      guard !state.isOver else { return nil }
      state.hasPassed = true
      return state.stop
    }
    stop?()
  }

  /// Returns the error for an exchange that exceeded its deadline.
  static func passed(_ stage: NetworkError.Stage, _ request: Request?, maybeProcessed: Bool) -> NetworkError {
    NetworkError(.timedOut, stage: stage, message: "The exchange passed its deadline.").with { details in
      details.request = request
      details.maybeProcessed = maybeProcessed
    }
  }
}

/// Watches the deadline of an exchange until the end of its body.
///
/// It tells a passed deadline from a cancellation.
final class DeadlineTap: BodyTap {
  private let watch: DeadlineWatch

  /// - Parameter body: The body to cancel at the deadline.
  init(_ watch: DeadlineWatch, cancelling body: ResponseBody) {
    self.watch = watch
    watch.watch { body.cancel() }
  }

  func ended(by error: (any Error)?) async throws {
    guard let error else { return watch.end() }
    throw watch.ended(by: error, .receivingBody)
  }

  func cancelled() { watch.end() }

  func rejected() async { watch.end() }
}
