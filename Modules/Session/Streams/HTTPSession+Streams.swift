public import CurlewCore
import CurlewLoading
import CurlewRequests
public import CurlewSerialization
public import HTTPTypes

extension HTTPSession {
  /// Sends a request and returns a successful response with its unread body.
  ///
  /// - Throws: `NetworkError`, of kind `unacceptableStatus` with the start of the body for a status that is not 2xx;
  ///   `CancellationError`.
  public func stream(
    _ method: HTTPRequest.Method, _ path: String, _ content: RequestContent = .none, parameters: Parameters? = nil,
    headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Response {
    do {
      return try await streamed(Call(method, path, parameters, content, headerFields, options))
    } catch {
      throw core.reported(error)
    }
  }

  /// Returns the bytes of a response as a sequence of chunks.
  ///
  /// The request is sent when the first chunk is requested.
  ///
  /// ```swift
  /// for try await chunk in session.bytes("recording.wav") { try file.write(chunk) }
  /// ```
  public func bytes(
    _ path: String, method: HTTPRequest.Method = .get, content: RequestContent = .none, parameters: Parameters? = nil,
    headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) -> ResponseChunks {
    ResponseChunks(session: self, call: Call(method, path, parameters, content, headerFields, options))
  }

  /// Returns the lines of a response.
  ///
  /// The request is sent when the first line is requested. `SessionConfiguration.lines` limits their length.
  public func lines(
    _ path: String, method: HTTPRequest.Method = .get, content: RequestContent = .none, parameters: Parameters? = nil,
    headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) -> LineSequence<ResponseChunks> {
    bytes(
      path, method: method, content: content, parameters: parameters, headerFields: headerFields, options: options
    ).lines(configuration.lines)
  }

  /// Returns the events of a server.
  ///
  /// The sequence connects when the first event is requested, and again when a connection ends. A request that must not be
  /// repeated, such as a `POST`, is sent once, unless `options.isIdempotent` says that it may be repeated.
  ///
  /// ```swift
  /// for try await event in session.serverSentEvents("sightings") {
  ///   print(event.type, event.data)
  /// }
  /// ```
  ///
  /// - Parameter events: Limits and reconnection.
  public func serverSentEvents(
    _ path: String, method: HTTPRequest.Method = .get, content: RequestContent = .none, parameters: Parameters? = nil,
    headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions(),
    events: EventStreamOptions = EventStreamOptions()
  ) -> ServerSentEvents {
    ServerSentEvents(
      session: self, call: Call(method, path, parameters, content, headerFields, options), options: events)
  }

  /// Sends a call and returns a successful response with its unread body.
  func streamed(_ call: Call) async throws -> Response {
    let request = try core.request(call)
    let response = try await opened(request)
    guard let refusal = ResponseValidation(maximumBytes: .max).check(response.head) else { return response }
    throw await refusal.withStart(of: response.body, upTo: TransferValidation.errorBodyLimit).naming(request)
  }

  /// Sends a request and returns any response; its unread body retains the session.
  func opened(_ request: Request) async throws -> Response {
    var response = try await core.loader().load(request)
    response.body = response.body.tapped(by: SessionTap(self))
    return response
  }
}

/// Keeps a session, and so its transport, alive until a body was read or released.
final class SessionTap: BodyTap {
  private let session: HTTPSession

  init(_ session: HTTPSession) { self.session = session }
}
