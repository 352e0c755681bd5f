import CurlewCore

/// The reason why an item failed, in a form that can be stored.
public struct BatchFailure: Sendable, Hashable, Codable {
  /// The kind of a `NetworkError` or a `BatchError`, or the name of another error's type.
  public var kind: String
  /// What happened, without secrets, at most 2,000 bytes.
  public var message: String

  /// Creates a failure, and truncates a message that is too long.
  public init(kind: String, message: String) {
    self.kind = kind
    self.message =
      message.utf8.count <= 2_000 ? message : String(decoding: message.utf8.prefix(1_990), as: UTF8.self) + "…"
  }

  /// Creates the failure of an error.
  public init(_ error: any Error) {
    switch error {
    case let error as NetworkError: self.init(kind: error.kind.rawValue, message: error.description)
    case let error as BatchError: self.init(kind: error.kind.rawValue, message: error.description)
    default: self.init(kind: String(describing: type(of: error)), message: String(describing: error))
    }
  }

  /// Creates the failure of an item whose leases have expired as often as `BatchRules.lossLimit` allows.
  ///
  /// - Parameter losses: The number of leases that have expired in a row.
  public static func workerLost(_ losses: Int) -> BatchFailure {
    BatchFailure(
      kind: BatchError.Kind.workerLost.rawValue,
      message: "Its workers died or hung: \(losses) leases in a row have expired.")
  }
}
