public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials
public import HTTPTypes

/// What people write who know another client, with the compiler's answer: the words of this one.
///
/// None of it can be called. `Scripts/guesses.swift` has each guess with its answer.
extension HTTPSession {
  /// The type is that of the value.
  @available(
    *, unavailable,
    message:
      "Name the type at the value: let bird: Bird = try await session.get(path), or write get(path, .json(Bird.self))"
  )
  public func get<Value>(_ path: String, as type: Value.Type) async throws -> Value { throw CancellationError() }

  /// The type is that of the value.
  @available(
    *, unavailable,
    message:
      "Name the type at the value: let bird: Bird = try await session.get(path), or write get(path, .json(Bird.self))"
  )
  public func get<Value>(_ path: String, _ type: Value.Type) async throws -> Value { throw CancellationError() }

  /// A path is a text.
  @available(*, unavailable, message: "Give a text: a path below the base URL, or url.absoluteString")
  public func get<Value>(_ url: URL) async throws -> Value { throw CancellationError() }

  /// Fields are `headerFields`.
  @available(
    *, unavailable, message: "Write headerFields: [.accept: text], or headerFields: try HTTPFields(named: [name: text])"
  )
  public func get<Value>(_ path: String, headers: [String: String]) async throws -> Value { throw CancellationError() }

  /// The same where nothing says the type of the value.
  @available(
    *, unavailable, message: "Write headerFields: [.accept: text], or headerFields: try HTTPFields(named: [name: text])"
  )
  public func get(_ path: String, headers: [String: String]) async throws -> Data { throw CancellationError() }

  /// Fields are `headerFields`.
  @available(*, unavailable, message: "Write headerFields: in the place of headers:")
  public func get<Value>(_ path: String, headers: HTTPFields) async throws -> Value { throw CancellationError() }

  /// The same where nothing says the type of the value.
  @available(*, unavailable, message: "Write headerFields: in the place of headers:")
  public func get(_ path: String, headers: HTTPFields) async throws -> Data { throw CancellationError() }

  /// A query is `parameters`.
  @available(*, unavailable, message: "Write parameters: in the place of query:")
  public func get<Value>(_ path: String, query: Parameters) async throws -> Value { throw CancellationError() }

  /// The same where nothing says the type of the value.
  @available(*, unavailable, message: "Write parameters: in the place of query:")
  public func get(_ path: String, query: Parameters) async throws -> Data { throw CancellationError() }

  /// A query is `parameters`.
  @available(*, unavailable, message: "Write parameters: in the place of params:")
  public func get<Value>(_ path: String, params: Parameters) async throws -> Value { throw CancellationError() }

  /// The same where nothing says the type of the value.
  @available(*, unavailable, message: "Write parameters: in the place of params:")
  public func get(_ path: String, params: Parameters) async throws -> Data { throw CancellationError() }

  /// Fields are named by `HTTPField.Name`.
  @available(
    *, unavailable, message: "Write headerFields: [.accept: text], or headerFields: try HTTPFields(named: [name: text])"
  )
  public func get<Value>(
    _ path: String, parameters: Parameters? = nil, headerFields: [String: String]
  ) async throws -> Value { throw CancellationError() }

  /// Fields are named by `HTTPField.Name`.
  @available(
    *, unavailable, message: "Write headerFields: [.accept: text], or headerFields: try HTTPFields(named: [name: text])"
  )
  public func get<Value>(
    _ path: String, _ serializer: some ResponseSerializer<Value>, headerFields: [String: String]
  ) async throws -> Value { throw CancellationError() }

  /// Fields are named by `HTTPField.Name`.
  @available(
    *, unavailable, message: "Write headerFields: [.accept: text], or headerFields: try HTTPFields(named: [name: text])"
  )
  public func post<Value>(
    _ path: String, _ content: RequestContent = .none, headerFields: [String: String]
  ) async throws -> Value { throw CancellationError() }

  /// A dictionary is encoded.
  @available(*, unavailable, message: "Write parameters: try Parameters(encoding: dictionary)")
  public func get<Value>(_ path: String, parameters: [String: String]) async throws -> Value {
    throw CancellationError()
  }

  /// A timeout is an option.
  @available(*, unavailable, message: "Write options: RequestOptions(timeout: .seconds(5))")
  public func get<Value>(_ path: String, timeout: Duration) async throws -> Value { throw CancellationError() }

  /// The same where nothing says the type of the value.
  @available(*, unavailable, message: "Write options: RequestOptions(timeout: .seconds(5))")
  public func get(_ path: String, timeout: Duration) async throws -> Data { throw CancellationError() }

  /// A timeout is an option.
  @available(*, unavailable, message: "Write options: RequestOptions(timeout: .seconds(5))")
  public func get<Value>(_ path: String, timeout: Double) async throws -> Value { throw CancellationError() }

  /// The same where nothing says the type of the value.
  @available(*, unavailable, message: "Write options: RequestOptions(timeout: .seconds(5))")
  public func get(_ path: String, timeout: Double) async throws -> Data { throw CancellationError() }

  /// Content is the second argument, without a label.
  @available(*, unavailable, message: "Write the content without a label: session.post(path, .json(value))")
  public func post<Value>(_ path: String, json: some Any) async throws -> Value { throw CancellationError() }

  /// The same where nothing says the type of the value.
  @available(*, unavailable, message: "Write the content without a label: session.post(path, .json(value))")
  public func post(_ path: String, json: some Any) async throws -> Data { throw CancellationError() }

  /// Content is the second argument, without a label.
  @available(
    *, unavailable,
    message: "Write the content without a label: session.post(path, .json(value)), .bytes(data) or .form(parameters)"
  )
  public func post<Value>(_ path: String, body: some Any) async throws -> Value { throw CancellationError() }

  /// The same where nothing says the type of the value.
  @available(
    *, unavailable,
    message: "Write the content without a label: session.post(path, .json(value)), .bytes(data) or .form(parameters)"
  )
  public func post(_ path: String, body: some Any) async throws -> Data { throw CancellationError() }

  /// Content is the second argument, without a label.
  @available(*, unavailable, message: "Write the content without a label: session.post(path, .json(value))")
  public func post<Value>(_ path: String, body: RequestContent) async throws -> Value { throw CancellationError() }

  /// The same where nothing says the type of the value.
  @available(*, unavailable, message: "Write the content without a label: session.post(path, .json(value))")
  public func post(_ path: String, body: RequestContent) async throws -> Data { throw CancellationError() }

  /// Content says its format.
  @available(
    *, unavailable,
    message: "Say how the value is sent: session.post(path, .json(value)), .bytes(data) or .form(parameters)"
  )
  public func post<Value>(_ path: String, _ value: some Encodable) async throws -> Value { throw CancellationError() }

  /// The type is that of the value.
  @available(
    *, unavailable, message: "Name the type at the value: let bird: Bird = try await session.post(path, .json(draft))"
  )
  public func post<Value>(_ path: String, _ content: RequestContent, as type: Value.Type) async throws -> Value {
    throw CancellationError()
  }

  /// The bytes are a value, too.
  @available(
    *, unavailable,
    message:
      "Write session.get(url.absoluteString, .data), or session.response(.get, url.absoluteString) for the head, too"
  )
  public func data(from url: URL) async throws -> (Data, ResponseHead) { throw CancellationError() }

  /// The bytes are a value, too.
  @available(
    *, unavailable, message: "Write session.get(path, .data), or let bytes: Data = try await session.get(path)"
  )
  public func data(_ path: String) async throws -> Data { throw CancellationError() }

  /// The bytes are a value, too.
  @available(
    *, unavailable,
    message: "Write session.response(method, path): its value is the bytes, its head has status and fields"
  )
  public func data(for request: some Any) async throws -> (Data, ResponseHead) { throw CancellationError() }

  /// A call is a method of the session.
  @available(
    *, unavailable,
    message: "Write session.response(method, path): its value is the bytes, its head has status and fields"
  )
  public func execute(_ request: some Any) async throws -> DecodedResponse<Data> { throw CancellationError() }

  /// Events are `serverSentEvents`.
  @available(*, unavailable, renamed: "serverSentEvents(_:)")
  public func events(_ path: String) -> ServerSentEvents { serverSentEvents(path) }

  /// Events are `serverSentEvents`.
  @available(*, unavailable, renamed: "serverSentEvents(_:)")
  public func sse(_ path: String) -> ServerSentEvents { serverSentEvents(path) }

  /// The path is the first argument, without a label.
  @available(*, unavailable, message: "Write session.download(path, to: file)")
  public func download(from source: some Any, to file: some Any = "") -> DownloadTask { download("", to: "") }

  /// A download is a sequence of its progress.
  @available(*, unavailable, message: "Iterate: for try await progress in session.download(path, to: file) { … }")
  public func download<Progress>(_ path: String, to file: some Any, progress: (Progress) -> Void) -> DownloadTask {
    download(path, to: "")
  }

  /// What happens to an existing file is said in the configuration.
  @available(*, unavailable, message: "Write session.download(path, to: file) { $0.file.collision = .replace }")
  public func download(_ path: String, to file: some Any, overwrite: Bool) -> DownloadTask { download(path, to: "") }

  /// Content is the first argument, without a label.
  @available(*, unavailable, message: "Write session.upload(.file(path), to: path)")
  public func upload(file: some Any, to path: String) -> UploadTask<Data> { upload(.none, to: path) }

  /// Fields are set in the configuration.
  @available(*, unavailable, message: "Write HTTPSession(baseURL: text) { try $0.headerFields.set(name, to: value) }")
  public init(baseURL: String, headers: some Any) throws { throw CancellationError() }

  /// A timeout is an option.
  @available(*, unavailable, message: "Write HTTPSession(baseURL: text) { $0.options.timeouts.total = .seconds(5) }")
  public init(baseURL: String, timeout: Duration) throws { throw CancellationError() }

  /// A base URL is a text.
  @available(*, unavailable, message: "Give a text: HTTPSession(baseURL: url.absoluteString)")
  public init(baseURL: URL) throws { throw CancellationError() }
}

extension SessionConfiguration {
  /// A timeout is an option.
  @available(*, unavailable, message: "Write options.timeouts.total = .seconds(5)")
  public var timeout: Duration {
    get { .zero }
    set {}
  }

  /// The proxy is a setting.
  @available(*, unavailable, message: "Write settings.proxy = Proxy(host: host, port: port)")
  public var proxy: Any {
    get { 0 }
    set {}
  }

  /// A cache is a part of the chain.
  @available(*, unavailable, message: "Write chain.caching = Caching(MemoryCacheStore())")
  public var cache: Any {
    get { 0 }
    set {}
  }

  /// Fields are `headerFields`.
  @available(*, unavailable, message: "Write try headerFields.set(name, to: value), or headerFields[.accept] = value")
  public var headers: [String: String] {
    get { [:] }
    set {}
  }
}

extension RequestOptions {
  /// A number has no unit.
  @available(*, unavailable, message: "Write the unit: RequestOptions(timeout: .seconds(5))")
  public init(timeout: Double) { self.init() }
}

extension DecodedResponse {
  /// Fields are `headerFields`.
  @available(*, unavailable, renamed: "headerFields")
  public var headers: HTTPFields { headerFields }

  /// What the serializer has made of the body is `value`.
  @available(*, unavailable, renamed: "value")
  public var body: Value { value }

  /// The status has a code.
  @available(*, unavailable, message: "Write status.code")
  public var statusCode: Int { status.code }
}

extension ServerSentEvent {
  /// A reconnection resumes after it.
  @available(*, unavailable, renamed: "lastEventID")
  public var id: String { lastEventID }

  /// The word of the wire for the type.
  @available(*, unavailable, renamed: "type")
  public var event: String { type }
}
