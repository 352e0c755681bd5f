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
