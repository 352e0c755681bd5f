import CurlewCore
import CurlewRequests
import CurlewSerialization
import HTTPTypes

/// A cache for the URLs of a session's paths, because apps repeat few paths.
///
/// It keeps up to 64 paths of up to 512 bytes each. Another path removes all of them; those that are still in use are soon
/// stored again, so no call has to count uses.
final class ResolvedPaths: Sendable {
  static let mostPaths = 64
  static let longestPath = 512

  private let baseURL: BaseURL?
  private let known = Guarded<[ExactString: Request]>([:])

  /// Creates an empty cache for a base URL; nil accepts only whole URLs.
  init(baseURL: BaseURL?) { self.baseURL = baseURL }

  /// The number of paths in the cache.
  var count: Int { known.withLock { $0.count } }

  /// Returns a `GET` request for a path; its copies share the parsed URL.
  ///
  /// - Throws: `NetworkError` of kind `invalidURL`.
  func request(for path: String) throws(NetworkError) -> Request {
    let name = ExactString(path)
    if let request = known.withLock({ $0[name] }) { return request }
    let request = Request(.get, try BaseURL.url(for: path, relativeTo: baseURL))
    guard path.utf8.count <= Self.longestPath else { return request }
    known.withLock { known in
      if known.count == Self.mostPaths { known.removeAll() }
      known[name] = request
    }
    return request
  }
}
