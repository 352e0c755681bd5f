import CurlewCore

/// A value whose type only the `Transfer` in front of the engine knows.
typealias AnyValue = any AnyObject & Sendable

/// Holds a value of any type as an object.
final class Boxed<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}

/// A `Transfer.Configuration` without its value type, for the engine.
struct TransferPlan: Sendable {
  var request: @Sendable (AttemptContext) async throws -> Request
  var sink: any TransferSink
  var validate: (@Sendable (ResponseHead, Request) async throws -> Void)?
  var decode: @Sendable (TransferResult) async throws -> AnyValue
  var shouldRetry: (@Sendable (TransferAttempt, AnyValue?) async -> RetryDecision)?
  var retry: RetryPolicy?
  var isRepeatable: Bool
  var pausing: PausePolicy
  var errorBodyLimit: Int
  var settings: ExchangeSettings?

  init<Value>(_ configuration: Transfer<Value>.Configuration) {
    request = configuration.request
    sink = configuration.sink
    validate = configuration.validate
    decode = { [decode = configuration.decode] in Boxed(try await decode($0)) }
    if let shouldRetry = configuration.shouldRetry {
      self.shouldRetry = { await shouldRetry($0, ($1 as? Boxed<Value>)?.value) }
    }
    retry = configuration.retry
    isRepeatable = configuration.isRepeatable
    pausing = configuration.pausing
    errorBodyLimit = configuration.errorBodyLimit
    settings = configuration.settings
  }
}

extension TransferOutcome where Value == AnyValue {
  /// Returns the outcome with its value type restored.
  func typed<Known>(_ type: Known.Type) -> TransferOutcome<Known> {
    switch self {
    case .success(let boxed):
      guard let boxed = boxed as? Boxed<Known> else { return .failure(TransferPlan.lostType) }
      return .success(boxed.value)
    case .failure(let error): return .failure(error)
    case .cancelled: return .cancelled
    }
  }
}

extension TransferPlan {
  /// An error for a case that cannot happen but must not trap.
  static let lostType = NetworkError(
    .internal, stage: .decoding, message: "A transfer lost the type of its value; please report it.")
}
