import CurlewCore
import CurlewRequests
import CurlewSerialization
import HTTPTypes

/// The URLs that a session's last paths led to, because an app asks for few paths again and again.
///
/// It keeps up to 64 paths of up to 512 bytes each. One more, and it forgets all of them: which of them are asked for again
/// is soon known, and nothing has to be counted at every call.
final class ResolvedPaths: Sendable {
  static let mostPaths = 64
  static let longestPath = 512

  private let baseURL: BaseURL?
  private let known = Guarded<[ExactString: Request]>([:])

  /// Creates an empty memory of paths below a base URL; nil takes whole URLs only.
  init(baseURL: BaseURL?) { self.baseURL = baseURL }

  /// The number of paths that are known.
  var count: Int { known.withLock { $0.count } }

  /// Returns a bare request for a path; requests made of it share its parsed URL.
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
