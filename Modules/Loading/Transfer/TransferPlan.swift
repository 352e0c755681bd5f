import CurlewCore

/// A `Transfer.Configuration` whose value has no static type, for the engine.
///
/// The value itself stays in a `ValueSlot` that the closures and the `Transfer` share. A class, because the engine would
/// otherwise copy every closure for each attempt.
final class TransferPlan: Sendable {
  let request: @Sendable (AttemptContext) async throws -> Request
  let sink: any TransferSink
  let release: (@Sendable () async -> (any ResumableHandle)?)?
  let validate: (@Sendable (ResponseHead, Request) async throws -> Void)?
  /// Makes the value and puts it into the slot.
  let decode: @Sendable (TransferResult) async throws -> Void
  /// Decides about another attempt, with the value in the slot.
  let shouldRetry: (@Sendable (TransferAttempt) async -> RetryDecision)?
  /// Empties the slot.
  let forgetValue: @Sendable () -> Void
  let retry: RetryPolicy?
  let isReplayable: Bool
  let pausing: PausePolicy
  let errorBodyLimit: Int
  /// Nil where the loader's hold.
  let settings: Exchange.SharedSettings?
  let boards: TransferBoards?

  init<Value>(_ configuration: consuming Transfer<Value>.Configuration, into slot: ValueSlot<Value>) {
    request = configuration.request
    sink = configuration.sink
    release = sink.release
    validate = configuration.validate
    decode = { [decode = configuration.decode] in slot.set(try await decode($0)) }
    forgetValue = { slot.clear() }
    if let shouldRetry = configuration.shouldRetry {
      self.shouldRetry = { attempt in await shouldRetry(attempt, slot.value) }
    } else {
      shouldRetry = nil
    }
    retry = configuration.retry
    isReplayable = configuration.isReplayable
    pausing = configuration.pausing
    errorBodyLimit = configuration.errorBodyLimit
    settings = configuration.sharedSettings
    boards = configuration.boards
  }
}

/// Holds the value of a transfer's last successful attempt.
final class ValueSlot<Value: Sendable>: Sendable {
  private final class Box: Sendable {
    let value: Value

    init(_ value: consuming Value) { self.value = value }
  }

  // Only boxes of this class are stored. A `Guarded<Box?>` would be correct too, but a lock around a type that
  // is not known at compile time costs a tenth of a small request.
  private let stored = Guarded<(any AnyObject & Sendable)?>(nil)

  private var box: Box? { stored.withLock({ $0 }) as? Box }

  var value: Value? { box?.value }

  func set(_ value: consuming Value) { put(Box(value)) }

  func clear() { put(nil) }

  private func put(_ box: Box?) {
    // The old value is released outside the lock, because the app's values may run code in `deinit`.
    _ = stored.withLock { stored in
      defer { stored = box }
      return stored
    }
  }

  /// Returns the engine's outcome together with the value.
  func outcome(_ outcome: TransferOutcome<Void>) -> TransferOutcome<Value> {
    switch outcome {
    case .success: if let box { .success(box.value) } else { .failure(Self.lostValue) }
    case .failure(let error): .failure(error)
    case .cancelled: .cancelled
    }
  }

  /// Returns the value of a transfer that has succeeded.
  func get() throws -> Value {
    guard let box else { throw Self.lostValue }
    return box.value
  }

  /// An error for a case that cannot happen but must not trap.
  private static var lostValue: NetworkError {
    NetworkError(.internal, stage: .decoding, message: "A transfer lost its value.", advice: "Please report it.")
  }
}

/// What happens to the connection while a transfer is paused.
///
/// Only a request that can be repeated (idempotent, with a replayable body) releases its connection; any other request
/// keeps it. A transport without backpressure cannot keep it and releases it at once.
public enum PausePolicy: Sendable, Hashable {
  /// Keep it as long as the server allows, without reading.
  case hold
  /// Keep it for a while and then release it; `resume` starts another attempt.
  case release(after: Duration)
}
