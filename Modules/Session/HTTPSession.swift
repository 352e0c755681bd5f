public import CurlewCore
package import CurlewDownload
public import CurlewLoading
public import CurlewSerialization
public import HTTPTypes

/// Sends requests and returns values: the interface for everyday use.
///
/// It combines the modules below it: it resolves a path against the base URL, writes parameters and content, sends the request
/// through the chain, checks status, type and size, and decodes the body. A call without retry uses `Loader` and costs little
/// more; a call with a retry policy or with progress uses `Transfer`.
///
/// ```swift
/// let session = HTTPSession(SessionConfiguration(.shared(transport)).with { $0.formats.add(.json) })
/// let page: [String] = try await session.get("https://example.com/names", parameters: ["page": 2])
/// let text = try await session.get("https://example.com/about.txt", .string)
/// ```
///
/// A session is a value; copies share the transport and its connections. A transport that the session created is shut down
/// when the last copy is released, so a program need not do it. Errors are `NetworkError`, or `CancellationError` if the task was
/// cancelled. The error of a refused response keeps status, head and the start of the body. Safe from any isolation.
public struct HTTPSession: Sendable {
  let core: SessionCore

  /// Creates a session.
  public init(_ configuration: SessionConfiguration) { core = SessionCore(configuration) }

  /// Creates a session over a transport that the app shuts down.
  ///
  /// It has no interceptors and no format for values: it follows no redirect, keeps no cookie and decodes no content.
  public init(_ transport: any Transport) { self.init(SessionConfiguration(.shared(transport))) }

  /// Creates a session with a changed configuration.
  ///
  /// The app shuts down the transport.
  public init(_ transport: any Transport, _ change: (inout SessionConfiguration) throws -> Void) rethrows {
    self.init(try SessionConfiguration(.shared(transport)).with(change))
  }

  /// The configuration.
  public var configuration: SessionConfiguration { core.configuration }

  /// Returns a request with the configuration's header fields where it has none.
  ///
  /// Only harmless ones go to origins that the app has not named (`SessionConfiguration.headerFields`).
  package func completed(_ request: Request) -> Request { core.completed(request) }

  /// The disk of the session's downloads, with one thread.
  package var disk: DownloadDisk { core.disk }

  /// Returns a changed copy.
  ///
  /// It shares what `change` leaves as it is: the transport with its connections, and the objects of the chain, such as the cookies, the
  /// cache and the token source. A `challenge` hook that `change` sets is asked anew, so the copy does not use the credentials of
  /// the original, nor the original those of the copy. A copy for another user of the app needs cookies and a cache of its own:
  /// `$0.chain.cookies = Cookies(MemoryCookieJar())`, and `$0.chain.caching`.
  ///
  /// ```swift
  /// let patient = session.with { $0.retry = RetryPolicy(limit: 5) }
  /// ```
  public func with(_ change: (inout SessionConfiguration) throws -> Void) rethrows -> HTTPSession {
    HTTPSession(try configuration.with(change))
  }

  /// The loader of the session, for requests that a session does not support.
  ///
  /// It has the session's transport, interceptors, options and settings, but not its base URL, header fields, formats and retries.
  ///
  /// The session must outlive the loader's requests.
  ///
  /// - Throws: The error of creating the transport.
  public var loader: Loader { get throws { try core.loader() } }

  /// The loader of requests that others make: they get the session's header fields where they have none.
  package var completingLoader: Loader {
    get throws {
      let loader = try core.loader()
      var chain = loader.chain
      chain.application.insert(SessionFields(core: core), at: 0)
      return Loader(loader.transport, chain: chain, options: loader.options, settings: loader.settings)
    }
  }
}

/// Gives requests the session's header fields where they have none.
private struct SessionFields: Interceptor {
  let core: SessionCore

  func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    try await next(core.completed(request), in: exchange)
  }
}

extension SessionConfiguration {
  /// Returns a changed copy.
  public func with(_ change: (inout SessionConfiguration) throws -> Void) rethrows -> SessionConfiguration {
    var copy = self
    try change(&copy)
    return copy
  }
}

/// Methods without content.
///
/// Each returns a value in the session's formats, or the value of a serializer. As `Data`, a value is the bytes of the body. A
/// response that is not successful is an error.
extension HTTPSession {
  /// Sends a `GET` and returns the decoded value, whose type the caller names: `let bird: Bird = try await session.get("birds/7")`.
  ///
  /// - Parameters:
  ///   - path: A path relative to the base URL, such as `birds/7`, or a whole URL. A path that begins with a slash begins at the
  ///     host, as in `BaseURL`.
  ///   - parameters: The parameters of the query.
  ///   - headerFields: Fields that replace the session's fields of the same names.
  ///   - options: The options; the session's apply where they are unset.
  /// - Throws: `NetworkError`; `CancellationError`.
  public func get<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions()
  ) async throws -> Value {
    try await decoded(Value.self, of: Call(.get, path, parameters, .none, headerFields, options))
  }

  /// Sends a `GET` with a query of variables, and returns the decoded value.
  ///
  /// ```swift
  /// let birds: [Bird] = try await session.get("birds", parameters: ["name": text, "page": 2])
  /// ```
  ///
  /// The values are of any encodable types.
  ///
  /// - Throws: `NetworkError`, of kind `serializationFailed` for a value that cannot be encoded; `CancellationError`.
  @_disfavoredOverload
  public func get<Value: Decodable & Sendable>(
    _ path: String, parameters: KeyValuePairs<String, (any Encodable & Sendable)?>, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions()
  ) async throws -> Value {
    try await get(path, parameters: .encoding(parameters), headerFields: headerFields, options: options)
  }

  /// Reminds of the type when nothing says which one the body has.
  @available(
    *, unavailable, message: "Name the type of the body (let bird: Bird = …), or a serializer (such as .data)."
  )
  public func get(
    _ path: String, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions()
  ) async throws -> Never { throw CancellationError() }

  /// Sends a `GET` and returns the value of a serializer.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func get<Serializer: ResponseSerializer>(
    _ path: String, _ serializer: Serializer,
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Serializer.Output {
    try await value(of: Call(.get, path, parameters, .none, headerFields, options), serializer)
  }

  /// Sends a `GET` with a query of variables, and returns the value of a serializer.
  ///
  /// - Throws: `NetworkError`, of kind `serializationFailed` for a value that cannot be encoded; `CancellationError`.
  @_disfavoredOverload @discardableResult
  public func get<Serializer: ResponseSerializer>(
    _ path: String, _ serializer: Serializer, parameters: KeyValuePairs<String, (any Encodable & Sendable)?>,
    headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Serializer.Output {
    try await get(path, serializer, parameters: .encoding(parameters), headerFields: headerFields, options: options)
  }

  /// Sends a `DELETE` and returns the decoded value.
  ///
  /// - Parameters:
  ///   - path: A path relative to the base URL, such as `birds/7`, or a whole URL. A path that begins with a slash begins at the
  ///     host, as in `BaseURL`.
  ///   - parameters: The parameters of the query.
  ///   - headerFields: Fields that replace the session's fields of the same names.
  ///   - options: The options; the session's apply where they are unset.
  /// - Throws: `NetworkError`; `CancellationError`.
  public func delete<Value: Decodable & Sendable>(
    _ path: String, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions()
  ) async throws -> Value {
    try await decoded(Value.self, of: Call(.delete, path, parameters, .none, headerFields, options))
  }

  /// Sends a `DELETE` and returns the value of a serializer, by default the bytes of the body.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func delete<Serializer: ResponseSerializer>(
    _ path: String, _ serializer: Serializer = DataResponseSerializer(),
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Serializer.Output {
    try await value(of: Call(.delete, path, parameters, .none, headerFields, options), serializer)
  }

  /// Sends a `HEAD` and returns the head of a successful response.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func head(
    _ path: String, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions()
  ) async throws -> ResponseHead {
    try await response(to: Call(.head, path, parameters, .none, headerFields, options), DataResponseSerializer()).head
  }
}

/// Methods with content.
///
/// Each returns a value in the session's formats, or the value of a serializer. As `Data`, a value is the bytes of the body. A
/// response that is not successful is an error.
extension HTTPSession {
  /// Sends a `POST` and returns the decoded value.
  ///
  /// - Parameters:
  ///   - path: A path relative to the base URL, such as `birds/7`, or a whole URL. A path that begins with a slash begins at the
  ///     host, as in `BaseURL`.
  ///   - content: The body; without one, the session's `requestSerializer` writes the parameters.
  ///   - parameters: The parameters, which go into the query if there is content.
  ///   - headerFields: Fields that replace the session's fields of the same names.
  ///   - options: The options; the session's apply where they are unset.
  /// - Throws: `NetworkError`; `CancellationError`.
  public func post<Value: Decodable & Sendable>(
    _ path: String, _ content: RequestContent = .none, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions()
  ) async throws -> Value {
    try await decoded(Value.self, of: Call(.post, path, parameters, content, headerFields, options))
  }

  /// Sends a `POST` and returns the value of a serializer, by default the bytes of the body.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func post<Serializer: ResponseSerializer>(
    _ path: String, _ content: RequestContent = .none,
    _ serializer: Serializer = DataResponseSerializer(),
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Serializer.Output {
    try await value(of: Call(.post, path, parameters, content, headerFields, options), serializer)
  }

  /// Sends a `PUT` and returns the decoded value.
  ///
  /// - Parameters:
  ///   - path: A path relative to the base URL, such as `birds/7`, or a whole URL. A path that begins with a slash begins at the
  ///     host, as in `BaseURL`.
  ///   - content: The body; without one, the session's `requestSerializer` writes the parameters.
  ///   - parameters: The parameters, which go into the query if there is content.
  ///   - headerFields: Fields that replace the session's fields of the same names.
  ///   - options: The options; the session's apply where they are unset.
  /// - Throws: `NetworkError`; `CancellationError`.
  public func put<Value: Decodable & Sendable>(
    _ path: String, _ content: RequestContent = .none, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions()
  ) async throws -> Value {
    try await decoded(Value.self, of: Call(.put, path, parameters, content, headerFields, options))
  }

  /// Sends a `PUT` and returns the value of a serializer, by default the bytes of the body.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func put<Serializer: ResponseSerializer>(
    _ path: String, _ content: RequestContent = .none,
    _ serializer: Serializer = DataResponseSerializer(),
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Serializer.Output {
    try await value(of: Call(.put, path, parameters, content, headerFields, options), serializer)
  }

  /// Sends a `PATCH` and returns the decoded value.
  ///
  /// - Parameters:
  ///   - path: A path relative to the base URL, such as `birds/7`, or a whole URL. A path that begins with a slash begins at the
  ///     host, as in `BaseURL`.
  ///   - content: The body; without one, the session's `requestSerializer` writes the parameters.
  ///   - parameters: The parameters, which go into the query if there is content.
  ///   - headerFields: Fields that replace the session's fields of the same names.
  ///   - options: The options; the session's apply where they are unset.
  /// - Throws: `NetworkError`; `CancellationError`.
  public func patch<Value: Decodable & Sendable>(
    _ path: String, _ content: RequestContent = .none, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions()
  ) async throws -> Value {
    try await decoded(Value.self, of: Call(.patch, path, parameters, content, headerFields, options))
  }

  /// Sends a `PATCH` and returns the value of a serializer, by default the bytes of the body.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func patch<Serializer: ResponseSerializer>(
    _ path: String, _ content: RequestContent = .none,
    _ serializer: Serializer = DataResponseSerializer(),
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Serializer.Output {
    try await value(of: Call(.patch, path, parameters, content, headerFields, options), serializer)
  }
}

/// Calls with any method.
extension HTTPSession {
  /// Sends a request with any method and returns the decoded value.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  public func request<Value: Decodable & Sendable>(
    _ method: HTTPRequest.Method, _ path: String, _ content: RequestContent = .none, parameters: Parameters? = nil,
    headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Value {
    try await decoded(Value.self, of: Call(method, path, parameters, content, headerFields, options))
  }

  /// Sends a request with any method and returns the value of a serializer, by default the bytes of the body.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  @discardableResult
  public func request<Serializer: ResponseSerializer>(
    _ method: HTTPRequest.Method, _ path: String, _ content: RequestContent = .none,
    _ serializer: Serializer = DataResponseSerializer(), parameters: Parameters? = nil,
    headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> Serializer.Output {
    try await value(of: Call(method, path, parameters, content, headerFields, options), serializer)
  }

  /// Sends a request and returns the value, the head and the measurements.
  ///
  /// ```swift
  /// let response = try await session.response(.get, "birds/7", as: Bird.self)
  /// print(response.value.name, response.head.headerFields[.eTag] ?? "", response.metrics.last?.phases.total ?? .zero)
  /// ```
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  public func response<Value: Decodable & Sendable>(
    _ method: HTTPRequest.Method, _ path: String, _ content: RequestContent = .none, as type: Value.Type,
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> DecodedResponse<Value> {
    let (call, serializer) = try decoding(type, Call(method, path, parameters, content, headerFields, options))
    return try await response(to: call, serializer)
  }

  /// Sends a request and returns the value of a serializer, head and measurements.
  ///
  /// - Throws: `NetworkError`; `CancellationError`.
  public func response<Serializer: ResponseSerializer>(
    _ method: HTTPRequest.Method, _ path: String, _ content: RequestContent = .none,
    _ serializer: Serializer = DataResponseSerializer(), parameters: Parameters? = nil,
    headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) async throws -> DecodedResponse<Serializer.Output> {
    try await response(to: Call(method, path, parameters, content, headerFields, options), serializer)
  }
}

extension HTTPSession {
  /// Opens connections before the first requests need them.
  ///
  /// Those requests then do not wait for name lookup, TCP and TLS. The call sends that many `HEAD` requests at once and
  /// ignores their statuses. Over HTTP/1.1 each has a connection of its own; over HTTP/2 they share one. The connections stay
  /// open as long as transport and server keep idle connections.
  ///
  /// It sends requests because only a request leaves a connection that another one may use: HTTP has nothing that merely
  /// connects, and libcurl lets no other request use a connection that was opened by `CURLOPT_CONNECT_ONLY`. `HEAD` is safe (RFC
  /// 9110 §9.2.1) and has no body in either direction.
  ///
  /// - Parameters:
  ///   - path: The path to request; by default the base URL.
  ///   - connections: The number of connections, 1 to 64.
  /// - Returns: The number of requests that were answered; the errors of the others are not reported.
  @discardableResult
  public func warmUp(_ path: String = "", connections: Int = 1) async -> Int {
    let serializer = DataResponseSerializer(validation: .everything)
    return await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<min(max(1, connections), 64) {
        group.addTask {
          let call = Call(.head, path, nil, .none, [:], RequestOptions())
          return (try? await response(to: call, serializer)) != nil
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
  }
}
