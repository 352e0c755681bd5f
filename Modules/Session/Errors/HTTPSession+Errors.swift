public import CurlewCore
public import CurlewSerialization

extension HTTPSession {
  /// Returns a session that also decodes the bodies of refused responses.
  ///
  /// They are decoded in the session's formats. The error stays a `NetworkError` with status, head and the start of the body;
  /// `NetworkError.decodedBody(_:)` returns the value. A body that cannot be decoded leaves the error unchanged.
  ///
  /// ```swift
  /// do {
  ///   let bird: Bird = try await session.errors(as: ProblemDetails.self).get("birds/7")
  /// } catch let error as NetworkError {
  ///   print(error.decodedBody(ProblemDetails.self)?.detail ?? error.message)
  /// }
  /// ```
  public func errors<Problem: Decodable & Sendable>(as type: Problem.Type) -> HTTPSession {
    guard !configuration.formats.isEmpty else { return self }
    return errors(CodingResponseSerializer(type, by: configuration.formats))
  }

  /// Returns a session that decodes the bodies of refused responses.
  ///
  /// - Parameter serializer: The serializer of the bodies. Its `validation` checks type and size, and accepts every status.
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
  /// The decoded body of a refused response.
  ///
  /// Nil if the session did not decode it as this type; see `HTTPSession.errors(as:)`.
  public func decodedBody<Value: Sendable>(_ type: Value.Type) -> Value? {
    (details.underlying as? DecodedErrorBody<Value>)?.value
  }
}

/// Adds the decoded body to an error, in front of its original cause.
struct DecodedErrorBody<Value: Sendable>: Error, CustomStringConvertible {
  let value: Value
  let cause: (any Error)?

  /// The type only, because the value may contain secrets.
  var description: String { "the body is a \(Value.self)" + (cause.map { "; \($0)" } ?? "") }
}
