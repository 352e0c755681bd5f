public import CurlewCore
public import CurlewSerialization

extension HTTPSession {
  /// Returns a session that also decodes the body of a refused response, in the session's format.
  ///
  /// The error stays a `NetworkError` with status, head and the start of the body; `NetworkError.decodedBody(_:)` returns
  /// the value. A body that cannot be decoded leaves the error as it is.
  ///
  /// ```swift
  /// do {
  ///   let bird: Bird = try await session.errors(as: ProblemDetails.self).get("birds/7")
  /// } catch let error as NetworkError {
  ///   print(error.decodedBody(ProblemDetails.self)?.detail ?? error.message)
  /// }
  /// ```
  public func errors<Problem: Decodable & Sendable>(as type: Problem.Type) -> HTTPSession {
    guard let coding = configuration.coding else { return self }
    return errors(CodingResponseSerializer(type, by: coding))
  }

  /// Returns a session that also decodes the body of a refused response with a serializer.
  ///
  /// - Parameter serializer: Its `validation` decides about type and size; every status is accepted.
  public func errors<Serializer: ResponseSerializer>(_ serializer: Serializer) -> HTTPSession {
    with { configuration in
      configuration.decodingError = { error in
        guard let value = try? error.refusedValue(serializer) else { return error }
        return error.with { details in
          details.underlying = DecodedErrorBody(value: value, cause: details.underlying)
        }
      }
    }
  }
}

extension NetworkError {
  /// The decoded body of a refused response; nil when the session did not decode it as that type.
  ///
  /// `HTTPSession.errors(as:)` decodes it.
  public func decodedBody<Value: Sendable>(_ type: Value.Type) -> Value? {
    (details.underlying as? DecodedErrorBody<Value>)?.value
  }
}

/// Carries the decoded body inside an error, in front of the cause that it had.
struct DecodedErrorBody<Value: Sendable>: Error, CustomStringConvertible {
  let value: Value
  let cause: (any Error)?

  /// Without the value, which may hold what a log must not.
  var description: String { "the body is a \(Value.self)" + (cause.map { "; \($0)" } ?? "") }
}
