public import CurlewCore

/// The whole of a response: its value, its head, and how it came.
public struct DecodedResponse<Value: Sendable>: Sendable {
  /// The value that was made of the body.
  public var value: Value
  /// The final head.
  public var head: ResponseHead
  /// The measurements, one for each attempt and hop that was sent.
  public var metrics: [ExchangeMetrics]

  /// Creates a response, for tests of code that takes one.
  public init(value: Value, head: ResponseHead, metrics: [ExchangeMetrics] = []) {
    self.value = value
    self.head = head
    self.metrics = metrics
  }
}
