import Curlew

/// An edition of the bird news.
struct Edition: Decodable, Equatable, Sendable {
  var number: Int
  var headline: String
}

/// Reads the news; without a network, the edition that was read last.
struct NewsReader: Sendable {
  private let session: HTTPSession

  /// Creates a reader whose cache outlives the process.
  ///
  /// - Throws: `NetworkError` for an invalid URL; `FileSystemError` when the directory cannot be created.
  init(baseURL: String, cacheDirectory: String) throws {
    var caching = Caching.Configuration()
    caching.servesStaleWhenUnreachable = true
    let cache = Caching(try DiskCacheStore(cacheDirectory, capacity: 64 << 20), configuration: caching)
    session = try HTTPSession(baseURL: baseURL) { configuration in
      configuration.chain.caching = cache
      // The reader learns soon that there is no network.
      configuration.options.timeouts.connect = .seconds(5)
    }
  }

  /// Returns the newest edition, and where it came from.
  ///
  /// `network` is new, `validated` is the stored edition that the server has just confirmed, and `cache` is the stored one, which may
  /// be out of date.
  func edition() async throws -> (edition: Edition, source: ResponseHead.Source) {
    let response = try await session.response(.get, "edition", as: Edition.self)
    return (response.value, response.head.source)
  }

  /// Returns the stored edition at once, and asks no server.
  ///
  /// - Throws: `NetworkError` of kind `notInCache`.
  func storedEdition() async throws -> Edition {
    var options = RequestOptions()
    options.cachePolicy = .returnStoredDontLoad
    return try await session.get("edition", options: options)
  }
}
