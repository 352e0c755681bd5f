public import CurlewCore
public import CurlewSerialization
public import HTTPTypes

/// One thing that an API can be asked, as a small value.
///
/// An API is a list of them. What it lacks is taken from the session: base URL, format, credentials, options.
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
  /// What its response is made into.
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
  /// Returns what makes the output of the response: by default the session's format for `Decodable` outputs, the bytes for
  /// `Data`, and nothing for an endpoint whose output is `Void`.
  ///
  /// - Throws: `NetworkError` of kind `unsupported` where the session has no format.
  func serializer(for session: SessionConfiguration) throws -> any ResponseSerializer<Output>
}

extension Endpoint {
  /// `GET`.
  public var method: HTTPRequest.Method { .get }
  /// None.
  public var parameters: Parameters? { nil }
  /// None.
  public var content: RequestContent { .none }
  /// None.
  public var headerFields: HTTPFields { [:] }
  /// None.
  public var options: RequestOptions { RequestOptions() }
}
