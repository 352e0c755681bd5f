public import CurlewCore
import CurlewLoading
import CurlewRequests
public import CurlewSerialization
public import FoundationEssentials
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
    let chunks = bytes(
      path, method: method, content: content, parameters: parameters, headerFields: headerFields, options: options)
    var lines = chunks.lines(configuration.lines)
    lines.naming = chunks.naming
    return lines
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

/// The bytes of a successful response, in chunks as they arrive.
///
/// The request is sent when the first chunk is requested, once for each iterator. Bytes stay in the socket until they are
/// requested. Releasing the iterator ends the transfer.
public struct ResponseChunks: AsyncSequence, Sendable {
  /// A nonempty chunk of bytes.
  public typealias Element = Data

  let session: HTTPSession
  let call: Call

  /// Starts reading the response.
  public func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

  /// Returns an error of somebody who reads the chunks, with the request.
  package func naming(_ error: any Error) -> any Error { session.core.naming(error, call) }

  /// Iterates over the chunks.
  public struct Iterator: AsyncIteratorProtocol {
    private let chunks: ResponseChunks
    private var body: ResponseBody.Iterator?
    private var isFinished = false

    init(chunks: ResponseChunks) { self.chunks = chunks }

    /// Returns the next bytes; nil at the end and after an error.
    ///
    /// - Throws: `NetworkError`; `CancellationError`.
    public mutating func next() async throws -> Data? {
      guard !isFinished else { return nil }
      do {
        if body == nil { body = try await chunks.session.streamed(chunks.call).body.makeAsyncIterator() }
        if let chunk = try await body?.next() { return chunk }
      } catch {
        finish()
        throw chunks.session.core.reported(error)
      }
      finish()
      return nil
    }

    private mutating func finish() {
      isFinished = true
      body = nil
    }
  }
}
