#if Configuration
public import FoundationEssentials

/// A setting that cannot be used.
public struct SettingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The key, such as `timeout.total`, without the scope of the reader.
  public let key: String
  /// What is wrong with the value; never the value itself, which may be a secret.
  public let reason: String

  init(_ key: String, _ reason: String) {
    self.key = key
    self.reason = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
  }

  /// The key, and what is wrong with its value.
  public var description: String { "The setting \(key) cannot be used: \(reason)." }
}

extension SettingError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
#endif
