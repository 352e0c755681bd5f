public import CurlewCore
import HTTPTypes

/// After which statuses and errors a transfer is tried again.
public struct RetryConditions: Sendable, Hashable {
  /// Statuses; 408, 429 and 5xx unless set.
  public var statuses: Set<Int> = Self.temporaryStatuses
  /// Kinds of `NetworkError`; nil is every kind. A refused status is judged by `statuses` alone.
  public var kinds: Set<NetworkError.Kind>? = Self.temporaryKinds
  /// Whether errors of other types count, as decoders throw them for a text they cannot read.
  public var includesOtherErrors = true

  /// Conditions that hold for what may pass by itself.
  public init() {}

  /// Statuses that may pass by themselves: 408 (RFC 9110 §15.5.9), 429 (RFC 6585 §4) and 5xx.
  public static let temporaryStatuses = Set(500...599).union([408, 429])

  /// Kinds that may pass by themselves; not cancellation, trust, or what the request itself is wrong in.
  public static let temporaryKinds: Set<NetworkError.Kind> = [
    .nameLookupFailed, .connectionFailed, .connectTimedOut, .connectionLost, .idleTimedOut, .timedOut, .streamReset,
    .proxyFailed, .resourceExhausted, .truncatedBody, .contentDecodingFailed, .serializationFailed,
  ]

  /// Every error, and every status but 2xx.
  public static var anyFailure: RetryConditions {
    var conditions = RetryConditions()
    conditions.statuses = Set(0...999).subtracting(200...299)
    conditions.kinds = nil
    return conditions
  }

  /// Whether they hold for how an attempt ended.
  func hold(for attempt: TransferAttempt) -> Bool {
    switch attempt.error {
    case nil: attempt.response.map { statuses.contains($0.status.code) } ?? false
    case is CancellationError: false
    case let error as NetworkError: hold(for: error, attempt)
    default: includesOtherErrors
    }
  }

  private func hold(for error: NetworkError, _ attempt: TransferAttempt) -> Bool {
    if error.kind == .unacceptableStatus, let head = attempt.response ?? error.details.response {
      return statuses.contains(head.status.code)
    }
    return kinds?.contains(error.kind) ?? true
  }
}
