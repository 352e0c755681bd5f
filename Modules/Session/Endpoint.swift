public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials
public import HTTPTypes

/// One request of an API, as a small value.
///
/// An API is a list of endpoints. The session adds what they lack: base URL, format, credentials, options.
///
/// ```swift
/// struct GetBird: Endpoint {
///   typealias Output = Bird
///   var id: Int
///   var path: String { "birds/\(id)" }
/// }
/// struct AddBird: Endpoint {
///   typealias Output = Bird
///   var draft: Bird
///   var method: HTTPRequest.Method { .post }
///   var path: String { "birds" }
///   var content: RequestContent { .encoded(draft) }
/// }
/// let bird = try await session.value(of: GetBird(id: 7))
/// ```
///
/// CurlewTestSupport's `StubTransport(answering:with:as:)` answers one with a value.
public protocol Endpoint<Output>: Sendable {
  /// The type of the response's value.
  associatedtype Output: Sendable
  /// The method; `GET` by default.
  var method: HTTPRequest.Method { get }
  /// The path below the session's base URL, or a whole URL.
  var path: String { get }
  /// The parameters; none by default.
  var parameters: Parameters? { get }
  /// The body; none by default.
  var content: RequestContent { get }
  /// Fields of its own; none by default.
  var headerFields: HTTPFields { get }
  /// Options of its own; none by default.
  var options: RequestOptions { get }
  /// Returns the serializer for the response.
  ///
  /// By default it decodes `Decodable` outputs in the session's formats, returns the bytes for `Data`, and returns nothing for
  /// `Void`.
  ///
  /// - Throws: `NetworkError` of kind `unsupported` if the session has no format.
  func serializer(for session: SessionConfiguration) throws -> any ResponseSerializer<Output>
}

extension Endpoint {
  /// `GET`.
  public var method: HTTPRequest.Method { .get }
  /// No parameters.
  public var parameters: Parameters? { nil }
  /// No content.
  public var content: RequestContent { .none }
  /// No fields.
  public var headerFields: HTTPFields { [:] }
  /// No options.
  public var options: RequestOptions { RequestOptions() }
}

extension Endpoint where Output: Decodable {
  /// Returns a serializer in the session's formats.
  ///
  /// - Throws: `NetworkError` of kind `unsupported` if the session has no format.
  public func serializer(for session: SessionConfiguration) throws -> any ResponseSerializer<Output> {
    guard !session.formats.isEmpty else { throw NetworkError.noFormats(.preparing) }
    return CodingResponseSerializer(Output.self, by: session.formats)
  }
}

extension Endpoint where Output == Data {
  /// Returns the body of a successful response, unchanged.
  public func serializer(for session: SessionConfiguration) throws -> any ResponseSerializer<Output> {
    DataResponseSerializer()
  }
}

extension Endpoint where Output == Void {
  /// Returns nothing, whatever the body of a successful response is.
  public func serializer(for session: SessionConfiguration) throws -> any ResponseSerializer<Output> {
    DataResponseSerializer().map { _ in () }
  }
}

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
