public import CurlewCore
import FoundationEssentials

extension NetworkError {
  /// The value of a refused response's body: what a failing API says of its failure.
  ///
  /// The status is not looked at again; type and size are.
  ///
  /// ```swift
  /// let problem = try error.refusedValue(.json(Problem.self))
  /// ```
  ///
  /// - Throws: This error when it keeps no response and body; else as `ResponseSerializer.output`. A body longer than
  ///   `keptBodyBytes` was cut.
  public func refusedValue<Serializer: ResponseSerializer>(
    _ serializer: Serializer
  ) throws(NetworkError) -> Serializer.Output {
    guard let head = details.response, let body = details.responseBody else { throw self }
    var validation = serializer.validation
    validation.statuses = nil
    if let refusal = validation.check(head, body) { throw refusal }
    return try serializer.value(of: head, body)
  }

  /// This error with a response and a bounded copy of its body.
  func keeping(_ head: ResponseHead?, _ body: Data) -> NetworkError {
    with { details in
      details.response = head ?? details.response
      details.responseBody = body.prefix(NetworkError.keptBodyBytes)
      details.maybeProcessed = true
    }
  }
}
