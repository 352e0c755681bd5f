public import CurlewCore
import FoundationEssentials

extension NetworkError {
  /// Decodes the body of a rejected response, such as an API's error report.
  ///
  /// The serializer checks the media type and the size, but not the status again.
  ///
  /// ```swift
  /// let problem = try error.refusedValue(.json(Problem.self))
  /// ```
  ///
  /// - Throws: This error, if it has no response or no body; otherwise the same errors as `ResponseSerializer.output`. A body
  ///   longer than `keptBodyBytes` is truncated.
  public func refusedValue<Serializer: ResponseSerializer>(
    _ serializer: Serializer
  ) throws(NetworkError) -> Serializer.Output {
    guard let head = details.response, let body = details.responseBody else { throw self }
    var validation = serializer.validation
    validation.statuses = nil
    if let refusal = validation.check(head, body) { throw refusal }
    return try serializer.value(of: head, body)
  }

  /// This error with a response whose body was not read.
  func keeping(_ head: ResponseHead) -> NetworkError {
    with { details in
      details.response = head
      details.maybeProcessed = true
    }
  }

  /// Returns this error with a response and a bounded copy of its body.
  func keeping(_ head: ResponseHead?, _ body: Data) -> NetworkError {
    with { details in
      details.response = head ?? details.response
      details.responseBody = body.prefix(NetworkError.keptBodyBytes)
      details.maybeProcessed = true
    }
  }
}
