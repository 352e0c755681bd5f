public import CurlewCore
import HTTPTypes

/// The statuses and errors after which a transfer is retried.
public struct RetryConditions: Sendable, Hashable {
  /// The statuses; by default 408, 429 and 5xx.
  public var statuses: Set<Int> = Self.temporaryStatuses
  /// The kinds of `NetworkError`; nil means every kind.
  ///
  /// For a rejected status only `statuses` counts. An error of a sink that is not a `NetworkError` counts as
  /// `sinkFailed`.
  public var kinds: Set<NetworkError.Kind>? = Self.temporaryKinds
  /// Whether other errors count, such as those of decoders, but not of sinks.
  public var includesOtherErrors = true

  /// Creates conditions for temporary failures.
  public init() {}

  /// Statuses of temporary failures.
  ///
  /// 408 (RFC 9110 §15.5.9), 429 (RFC 6585 §4) and 5xx.
  public static let temporaryStatuses = NetworkError.temporaryStatuses

  /// Kinds of temporary failures.
  ///
  /// Cancellation, trust failures and invalid requests are not among them.
  public static let temporaryKinds = NetworkError.temporaryKinds

  /// Every error, and every status except 2xx.
  public static var anyFailure: RetryConditions {
    var conditions = RetryConditions()
    conditions.statuses = Set(0...999).subtracting(200...299)
    conditions.kinds = nil
    return conditions
  }

  /// Returns whether the conditions apply to the outcome of an attempt.
  func hold(for attempt: TransferAttempt) -> Bool {
    switch attempt.error {
    case nil: attempt.response.map { statuses.contains($0.status.code) } ?? false
    case is CancellationError: false
    case let error as NetworkError: hold(for: error, attempt)
    default: attempt.isSinkFailure ? kinds?.contains(.sinkFailed) ?? true : includesOtherErrors
    }
  }

  private func hold(for error: NetworkError, _ attempt: TransferAttempt) -> Bool {
    if error.kind == .unacceptableStatus, let head = attempt.response ?? error.details.response {
      return statuses.contains(head.status.code)
    }
    return kinds?.contains(error.kind) ?? true
  }
}
