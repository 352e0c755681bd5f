import CurlewCore
import CurlewRequests
import CurlewSession
import Foundation
import HTTPTypes

/// Finds tasks by the method and the path of their requests.
struct TaskFilter {
  private let method: HTTPRequest.Method?
  private let url: URL?

  /// Creates a filter.
  ///
  /// - Parameters:
  ///   - method: The method; nil matches any.
  ///   - path: The path, resolved against the base URL and compared without its query; nil matches any.
  /// - Throws: `NetworkError` of kind `invalidURL`.
  init(method: HTTPRequest.Method?, path: String?, baseURL: BaseURL?) throws(NetworkError) {
    self.method = method
    url = if let path { Self.withoutQuery(try BaseURL.url(for: path, relativeTo: baseURL)) } else { nil }
  }

  /// Returns the tasks that have not ended and match; a task without a request matches only a filter without conditions.
  func matching(_ tasks: [SessionTask]) -> [SessionTask] {
    tasks.filter { task in
      let request = task.originalRequest
      return task.state != .completed && (method.map { $0 == request?.method } ?? true)
        && (url.map { $0 == (request?.url).map(Self.withoutQuery) } ?? true)
    }
  }

  private static func withoutQuery(_ url: URL) -> URL {
    var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    parts?.query = nil
    parts?.fragment = nil
    return parts?.url ?? url
  }
}
