import CurlewCore
import CurlewSerialization
import HTTPTypes

extension HTTPSession {
  /// Sends an endpoint and returns its output.
  ///
  /// - Throws: `NetworkError`; `CancellationError`; the error of the endpoint's `serializer(for:)`.
  @discardableResult
  public func value<Output: Sendable>(of endpoint: some Endpoint<Output>) async throws -> Output {
    let serializer = try endpoint.serializer(for: configuration)
    return try await value(of: call(to: endpoint, serializer), serializer)
  }

  /// Sends an endpoint and returns its output with the head and the measurements.
  ///
  /// - Throws: The errors of `value(of:)`.
  public func response<Output: Sendable>(to endpoint: some Endpoint<Output>) async throws -> DecodedResponse<Output> {
    let serializer = try endpoint.serializer(for: configuration)
    return try await response(to: call(to: endpoint, serializer), serializer)
  }

  private func call(to endpoint: some Endpoint, _ serializer: any ResponseSerializer) -> Call {
    let call = Call(
      endpoint.method, endpoint.path, endpoint.parameters, endpoint.content, endpoint.headerFields, endpoint.options)
    guard !core.hasAccept, let accept = (serializer as? any FormattedSerializer)?.formats.accept else { return call }
    return call.asking(.accept, accept)
  }
}
