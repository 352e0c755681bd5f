public import CurlewBatch
import CurlewCore
public import CurlewJSON
import CurlewLoading
import CurlewSerialization
public import CurlewSession

extension SessionConfiguration {
  /// Creates the configuration that most apps want.
  ///
  /// It has a `CurlTransport` of its own, JSON for values and parameters, content decoding, redirects, cookies in memory, and
  /// answers to Basic and Digest challenges. It neither caches nor retries: set `chain.caching`, for example to
  /// `Caching(MemoryCacheStore())`, and `retry` for that.
  public init() {
    self.init(.made { try CurlTransport() })
    chain = InterceptorChain(
      decoding: ContentDecoding(), redirect: Redirect(), cookies: Cookies(MemoryCookieJar()),
      authentication: Authentication())
    requestSerializer = .json
    formats.add(.json)
  }
}

extension HTTPSession {
  /// Creates a session with the defaults of `SessionConfiguration.init()`.
  ///
  /// ```swift
  /// let session = try HTTPSession(baseURL: "https://api.example.com/v1/") { $0.retry = RetryPolicy() }
  /// ```
  ///
  /// - Parameters:
  ///   - baseURL: The URL that paths are relative to, with its scheme; a missing slash at the end of its path is added. A call
  ///     with `birds/7` is below it, and one with `/birds/7` begins at the host (RFC 3986 §5.2).
  ///   - change: Changes the configuration.
  /// - Throws: `NetworkError` of kind `invalidURL` for a base URL that is not an absolute `http` or `https` URL; the error
  ///   of `change`.
  public init(
    baseURL: String, _ change: (inout SessionConfiguration) throws -> Void = { _ in }
  ) throws {
    var configuration = SessionConfiguration()
    configuration.baseURL = try BaseURL(baseURL)
    try change(&configuration)
    self.init(configuration)
  }

  /// Creates a session with the defaults of `SessionConfiguration.init()` and without a base URL.
  public init() { self.init(SessionConfiguration()) }
}

extension Batch {
  /// Creates a batch whose downloads and requests go through a session.
  ///
  /// An item contains a request with its whole URL. It gets the session's header fields when it is sent, so a key among them is
  /// not stored with the item. Requests are retried as the session's are, if it has a policy; downloads have their own.
  ///
  /// - Throws: The error of creating the session's transport.
  public convenience init(over session: HTTPSession, store: any BatchStore = MemoryBatchStore()) throws {
    let loader = try session.completingLoader
    let budget = session.configuration.retry?.originBudget ?? RetryBudget()
    var configuration = Configuration(over: loader, budget: budget)
    if var retry = session.configuration.retry {
      retry.originBudget = budget
      configuration.jobs[.request] = .request(over: loader, retry: retry)
    }
    self.init(store, configuration)
  }
}

extension HTTPSession {
  /// Returns the values of a response in JSON Lines (NDJSON), one per line.
  ///
  /// The request is sent when the first value is requested.
  ///
  /// ```swift
  /// for try await name in session.jsonLines("names.jsonl", as: String.self) { print(name) }
  /// ```
  ///
  /// An invalid line ends it with a `NetworkError` of kind `serializationFailed`, whose cause is a `JSONRecordError`.
  ///
  /// - Parameter records: The limit of a line, and what happens to an invalid one.
  public func jsonLines<Value: Decodable & Sendable>(
    _ path: String, as type: Value.Type, method: HTTPRequest.Method = .get, content: RequestContent = .none,
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions(),
    records: JSONRecordOptions = JSONRecordOptions()
  ) -> JSONRecordSequence<ResponseChunks, Value> {
    let chunks = bytes(
      path, method: method, content: content, parameters: parameters, headerFields: headerFields, options: options)
    var values = chunks.jsonLines(as: type, decoder: configuration.json.decoder, options: records)
    values.failure = { error in
      chunks.naming(
        NetworkError(
          .serializationFailed, stage: .decoding,
          message: "The response cannot be read as JSON Lines: \(NetworkError.reason(error))",
          advice: "`session.lines` reads the same as text, and `JSONRecordOptions.invalidRecords` can skip such lines.",
          underlying: error))
    }
    return values
  }
}

extension RequestContent {
  /// A value as JSON.
  ///
  /// The session's `JSONCoding` encodes it if its formats have one, otherwise the default coding.
  public static func json(_ value: some Encodable & Sendable) -> RequestContent {
    RequestContent { request, session in try encoded(value, by: session.json).written(to: request, session) }
  }

  /// Named values of any encodable types as a JSON object; nil becomes `null`.
  ///
  /// ```swift
  /// try await session.post("birds", .json(["name": "Heron", "age": 3]))
  /// ```
  ///
  /// They are encoded as by the other `json`, and keep their names. For a duplicate name, the last value takes the place of the
  /// first.
  public static func json(_ members: KeyValuePairs<String, (any Encodable & Sendable)?>) -> RequestContent {
    RequestContent { request, session in
      var object = JSONObject()
      for (name, value) in members { object[name] = try value.map { try session.json.encoder.encode($0) } ?? .null }
      return try json(JSONValue.object(object)).written(to: request, session)
    }
  }
}

extension SessionConfiguration {
  /// The JSON coding, whatever the session's first format is.
  var json: JSONCoding { formats.all.lazy.compactMap { $0 as? JSONCoding }.first ?? JSONCoding() }
}

extension RequestContent {
  /// Returns this content compressed with gzip, for a server that accepts it.
  ///
  /// Bytes that would not become smaller are sent unchanged. The length of a compressed file or stream is not known in
  /// advance.
  ///
  /// ```swift
  /// try await session.post("sightings", .json(["curlew", "heron"]).gzipped())
  /// ```
  ///
  /// - Parameter level: The level of compression, 1 (fast) to 9 (small); other values become the nearest.
  public func gzipped(level: Int = 6) -> RequestContent {
    RequestContent { request, session in
      var request = try written(to: request, session)
      try request.compressBody(level: level)
      return request
    }
  }
}
