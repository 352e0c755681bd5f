import CurlewCore
import CurlewLoading
import CurlewSerialization
import CurlewSession
import CurlewSessionManagers
import Dispatch
import Foundation

/// Requests as session tasks: of a session, of a manager, and of a manager whose hooks are all set.
struct TaskRequests: RequestWay {
  private let request: Request
  private let session: HTTPSession
  /// Nil for tasks of the session.
  private let manager: URLSessionManager?

  /// Creates the requests.
  init(_ through: ThroughName, _ request: Request, over session: HTTPSession) {
    self.request = request
    self.session = session
    guard through != .task else {
      manager = nil
      return
    }
    let manager = URLSessionManager(session.configuration)
    manager.responseSerializer = .data
    manager.completionQueue = DispatchQueue(label: "curlew-bench.completion")
    manager.postsNotifications = false
    if through == .hooks { manager.hooks = Self.allHooks }
    self.manager = manager
  }

  /// Sends one request and returns the bytes of its body.
  func bytes() async throws -> Int64 {
    guard let manager else { return Int64(try await session.dataTask(request).value.count) }
    let body = try await manager.dataTask(with: request) { _, _, _ in }.value
    guard let body = body as? Data else { throw BenchError(description: "The value is not the body.") }
    return Int64(body.count)
  }

  /// Every hook that a request over plain HTTP can reach, with the standard answer.
  private static var allHooks: SessionHooks {
    var hooks = SessionHooks()
    hooks.sessionDidBecomeInvalid = { _ in }
    hooks.taskDidReceiveChallenge = { _, _, _, reply in reply(.defaultHandling) }
    hooks.taskNeedsNewBody = { _, _, _ in nil }
    hooks.taskWillRedirect = { _, _, _, request in request }
    hooks.taskDidSendBodyData = { _, _, _, _, _ in }
    hooks.taskDidFinishCollectingMetrics = { _, _, _ in }
    hooks.taskDidComplete = { _, _, _ in }
    hooks.dataTaskDidReceiveResponse = { _, _, _ in .allow }
    hooks.dataTaskDidBecomeDownload = { _, _, _ in }
    hooks.dataTaskDidReceiveData = { _, _, _ in }
    hooks.dataTaskWillCacheResponse = { _, _, _ in .store }
    hooks.downloadTaskDestination = { _, _, _ in nil }
    hooks.downloadTaskDidWriteData = { _, _, _, _, _ in }
    hooks.downloadTaskDidResume = { _, _, _, _ in }
    return hooks
  }
}
