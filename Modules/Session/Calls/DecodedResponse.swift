public import CurlewCore

/// A complete response: its value, its head and its measurements.
public struct DecodedResponse<Value: Sendable>: Sendable {
  /// The value that was decoded from the body.
  public var value: Value
  /// The final head.
  public var head: ResponseHead
  /// The measurements, one for each attempt and hop that was sent.
  public var metrics: [ExchangeMetrics]

  /// Creates a response, for tests of code that receives one.
  public init(value: Value, head: ResponseHead, metrics: [ExchangeMetrics] = []) {
    self.value = value
    self.head = head
    self.metrics = metrics
  }
}
