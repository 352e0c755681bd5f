public import CurlewCore
public import CurlewLoading
public import CurlewSerialization

/// What one task uses in place of the manager's settings; nil takes the manager's.
///
/// The manager reads its own settings when it creates a task, so a later change does not affect tasks that exist.
///
/// ```swift
/// var settings = TaskSettings()
/// settings.responseSerializer = .json([Bird].self)
/// let task = try manager.dataTask(with: request, settings: settings) { response, birds, error in show(birds) }
/// task.resume()
/// ```
public struct TaskSettings: Sendable {
  /// Checks the response and decodes its value.
  public var responseSerializer: (any ResponseSerializer)?
  /// Evaluates the server's certificates.
  public var securityPolicy: (any ServerTrustEvaluating)?
  /// Whether, when and how often to retry a failed attempt.
  public var retry: RetryPolicy?

  /// Creates settings that change nothing.
  public init() {}
}
