import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewRequests
import CurlewSecurity
import CurlewSerialization
import CurlewSession
import CurlewTestSupport
import CurlewURLSessionTransport
import Dispatch
import Foundation
import HTTPTypes
import Testing

@testable import CurlewSessionManagers

/// The transports that managers run over.
enum Carrier: String, CaseIterable, Sendable {
  case curl, urlSession

  var transport: SessionTransport {
    switch self {
    case .curl: .made { try CurlTransport() }
    case .urlSession: .made { URLSessionTransport() }
    }
  }

  /// A configuration with everything that asks.
  var configuration: SessionConfiguration {
    var configuration = SessionConfiguration(transport)
    configuration.chain = Fixture.chain
    return configuration
  }
}

enum Fixture {
  static var chain: InterceptorChain {
    InterceptorChain(
      redirect: Redirect(), authentication: Authentication(), caching: Caching(MemoryCacheStore()),
      serverTrust: ServerTrustAsking())
  }

  /// A manager over a stub, with a completion queue of its own.
  static func manager<Manager: URLSessionManager>(
    _ stub: StubTransport, as type: Manager.Type = URLSessionManager.self, base: String? = nil
  ) throws -> Manager {
    var configuration = SessionConfiguration(.shared(stub))
    configuration.chain = chain
    configuration.baseURL = try base.map { try BaseURL($0) }
    return manager(configuration, as: type)
  }

  static func manager<Manager: URLSessionManager>(
    _ configuration: SessionConfiguration, as type: Manager.Type = URLSessionManager.self
  ) -> Manager {
    let manager = type.init(configuration)
    manager.completionQueue = DispatchQueue(label: "completion")
    manager.postsNotifications = false
    return manager
  }

  static let url = URL(string: "http://stub.test/") ?? URL(filePath: "/")
  static var request: Request { Request(.get, url) }

  static func json(_ text: String = #"{"name":"Curlew"}"#) -> StubAnswer {
    .json(text)
  }

  /// A directory that is removed afterwards.
  static func withDirectory<Result>(
    isolation: isolated (any Actor)? = #isolation, _ work: (String) async throws -> Result
  ) async throws -> Result {
    let path = FileManager.default.temporaryDirectory.path + "/curlew-managers-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await work(path)
  }

  /// Lets other tasks run for as long as a condition holds; what never comes fails the test and does not hang it.
  static func wait(
    while condition: @autoclosure () -> Bool, isolation: isolated (any Actor)? = #isolation,
    _ location: SourceLocation = #_sourceLocation
  ) async {
    let end = ContinuousClock.now.advanced(by: .seconds(300))
    while condition() {
      guard ContinuousClock.now < end, !Task.isCancelled else {
        Issue.record("What was waited for did not come.", sourceLocation: location)
        return
      }
      await Task.yield()
    }
  }

  /// Waits until everything that was enqueued on a queue so far has run.
  static func drain(_ queue: DispatchQueue?) async {
    guard let queue else { return }
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
  }
}

/// The arguments of a completion handler.
struct Ended: Sendable {
  var response: ResponseHead?
  var value: (any Sendable)?
  var error: (any Error)?
  var kind: NetworkError.Kind? { (error as? NetworkError)?.kind }
}

extension URLSessionManager {
  /// Carries out a task that a closure creates with the given completion handler.
  func ended(_ make: (@escaping Completion) -> SessionTask) async -> Ended {
    let ends = Collected<Ended>()
    let task = make { ends.append(Ended(response: $0, value: $1, error: $2)) }
    task.resume()
    await Fixture.wait(while: ends.all.isEmpty)
    await Fixture.drain(completionQueue)
    #expect(ends.all.count == 1, "The completion handler is called once.")
    return ends.all.first ?? Ended()
  }

  func ended(_ request: Request, settings: TaskSettings = TaskSettings()) async -> Ended {
    await ended { dataTask(with: request, settings: settings, completion: $0) }
  }
}

/// Values from anywhere, in order.
final class Collected<Value: Sendable>: Sendable {
  private let values = Guarded<[Value]>([])
  func append(_ value: Value) { values.withLock { $0.append(value) } }
  var all: [Value] { values.withLock { $0 } }
}
