public import CurlewCore
import CurlewSerialization
import FoundationEssentials

extension NetworkError {
  /// Returns the body of a refused response, decoded in the format of the session that it is in, or in the session's first one.
  ///
  /// APIs describe an error in the body of the response:
  ///
  /// ```swift
  /// do {
  ///   let bird: Bird = try await session.get("birds/7")
  /// } catch let error as NetworkError where error.status == .notFound {
  ///   print(error.decodedBody(as: ProblemDetails.self)?.detail ?? "There is no such bird.")
  /// }
  /// ```
  ///
  /// Nil if the response was not refused, if its body is not such a value, such as a proxy's page of HTML, or if the session has
  /// no format. An error keeps the first 64 KB of a body, so a longer value is nil, too. For another format, and to learn why a body
  /// cannot be decoded, use `refusedValue(_:)`.
  public func decodedBody<Value: Decodable>(as type: Value.Type) -> Value? {
    guard kind == .unacceptableStatus || kind == .unacceptableContentType, let body = details.responseBody,
      let formats = details.coding as? FormatRegistry,
      let format = (try? formats.format(of: details.response, body)) ?? formats.first
    else { return nil }
    return try? format.decode(type, from: body, details.response)
  }
}
