import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewSerialization
import CurlewSession
import CurlewTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import CurlewSessionManagers

/// Logs each step that it overrides, then calls `super`.
// Safe because its one property is set once, before the first task.
final class OverridingManager: URLSessionManager, @unchecked Sendable {
  var log = Collected<String>()
  private func note(_ hook: SessionHook) { log.append("override \(hook.rawValue)") }

  override func sessionDidBecomeInvalid() {
    note(.sessionDidBecomeInvalid)
    super.sessionDidBecomeInvalid()
  }
  override func sessionDidFinishBackgroundEvents() {
    note(.didFinishBackgroundEvents)
    super.sessionDidFinishBackgroundEvents()
  }
  override func task(_ task: SessionTask, didReceive challenge: Challenge, reply: ChallengeReply) {
    note(SessionHook.of(challenge))
    super.task(task, didReceive: challenge, reply: reply)
  }
  override func task(_ task: SessionTask, needsNewBodyFor request: Request) -> Body? {
    note(.needsNewBody)
    return super.task(task, needsNewBodyFor: request) ?? .bytes(Data("again".utf8))
  }
  override func task(
    _ task: SessionTask, willSend request: Request, redirectedBy response: ResponseHead?
  ) -> Request? {
    note(.willRedirect)
    return super.task(task, willSend: request, redirectedBy: response)
  }
  override func task(_ task: SessionTask, didSendBodyData bytes: Int64, total: Int64, expected: Int64?) {
    note(.didSendBodyData)
    super.task(task, didSendBodyData: bytes, total: total, expected: expected)
  }
  override func task(_ task: SessionTask, didFinishCollecting metrics: [ExchangeMetrics]) {
    note(.didFinishCollectingMetrics)
    super.task(task, didFinishCollecting: metrics)
  }
  override func task(_ task: SessionTask, didCompleteWith error: (any Error)?) {
    note(.didComplete)
    super.task(task, didCompleteWith: error)
  }
  override func dataTask(_ task: SessionTask, didReceive response: ResponseHead) -> ResponseDisposition {
    note(.didReceiveResponse)
    return super.dataTask(task, didReceive: response)
  }
  override func dataTask(_ task: SessionTask, didBecome download: DownloadTask) {
    note(.didBecomeDownload)
    super.dataTask(task, didBecome: download)
  }
  override func dataTask(_ task: SessionTask, didReceive data: Data) {
    note(.didReceiveData)
    super.dataTask(task, didReceive: data)
  }
  override func dataTask(_ task: SessionTask, willCache response: ResponseHead) -> CacheAnswer {
    note(.willCacheResponse)
    return super.dataTask(task, willCache: response)
  }
  override func downloadTask(_ task: DownloadTask, destinationFor response: ResponseHead) -> String? {
    note(.destination)
    return super.downloadTask(task, destinationFor: response)
  }
  override func downloadTask(_ task: DownloadTask, didWriteData bytes: Int64, total: Int64, expected: Int64?) {
    note(.didWriteData)
    super.downloadTask(task, didWriteData: bytes, total: total, expected: expected)
  }
  override func downloadTask(_ task: DownloadTask, didResumeAt offset: Int64, total: Int64?) {
    note(.didResume)
    super.downloadTask(task, didResumeAt: offset, total: total)
  }
}

extension SessionHooks {
  /// Hooks that log, with the standard answers.
  static func logging(
    _ log: Collected<String>, becoming target: DownloadTarget?, destination: String?
  ) -> SessionHooks {
    @Sendable func note(_ hook: SessionHook) { log.append("hook \(hook.rawValue)") }
    var hooks = SessionHooks()
    hooks.sessionDidBecomeInvalid = { _ in note(.sessionDidBecomeInvalid) }
    hooks.taskDidReceiveChallenge = { _, _, challenge, reply in
      note(SessionHook.of(challenge))
      reply(.use(.password(user: "u", password: "p")))
    }
    hooks.taskNeedsNewBody = { _, _, _ in
      note(.needsNewBody)
      return .bytes(Data("again".utf8))
    }
    hooks.taskWillRedirect = { _, _, _, request in
      note(.willRedirect)
      return request
    }
    hooks.taskDidSendBodyData = { _, _, _, _, _ in note(.didSendBodyData) }
    hooks.taskDidFinishCollectingMetrics = { _, _, _ in note(.didFinishCollectingMetrics) }
    hooks.taskDidComplete = { _, _, _ in note(.didComplete) }
    hooks.dataTaskDidReceiveResponse = { _, _, response in
      note(.didReceiveResponse)
      guard response.url.path == "/file", let target else { return .allow }
      return .becomeDownload(target)
    }
    hooks.dataTaskDidBecomeDownload = { _, _, _ in note(.didBecomeDownload) }
    hooks.dataTaskDidReceiveData = { _, _, _ in note(.didReceiveData) }
    hooks.dataTaskWillCacheResponse = { _, _, _ in
      note(.willCacheResponse)
      return .refuse
    }
    hooks.downloadTaskDestination = { _, _, _ in
      note(.destination)
      return destination
    }
    hooks.downloadTaskDidWriteData = { _, _, _, _, _ in note(.didWriteData) }
    hooks.downloadTaskDidResume = { _, _, _, _ in note(.didResume) }
    hooks.sessionDidFinishBackgroundEvents = { _ in note(.didFinishBackgroundEvents) }
    return hooks
  }
}

@Suite(.timeLimit(.minutes(10))) struct HookPrecedenceTests {
  private static func reply(to request: OriginRequest) async -> OriginReply {
    switch request.path {
    case "/moved": return .redirect(to: "/secret")
    case "/secret":
      return request["Authorization"] == nil
        ? .status(401, ["WWW-Authenticate": #"Basic realm="birds""#])
        : .ok("hello", ["Cache-Control": "max-age=86400"])
    case "/post":
      let body = await request.body()
      return .ok("\(body.count)")
    case "/elsewhere":
      _ = await request.body()
      return .redirect(307, to: "/post")
    case "/file": return .ok(.seeded(1), count: 200_000, ["ETag": #""one""#])
    default: return .status(404, "no")
    }
  }

  /// Runs requests that reach every hook of a transport, and returns what was asked, in order.
  private func log(_ carrier: Carrier, overrides: Bool, hooks: Bool) async throws -> [String] {
    let origin = try await ScriptedOrigin.start { await Self.reply(to: $0) }
    let log = Collected<String>()
    try await Fixture.withDirectory { directory in
      let manager: URLSessionManager
      if overrides {
        let own = Fixture.manager(carrier.configuration, as: OverridingManager.self)
        own.log = log
        manager = own
      } else {
        manager = Fixture.manager(carrier.configuration)
      }
      manager.responseSerializer = .data
      if hooks {
        manager.hooks = .logging(
          log, becoming: .file(directory + "/own"), destination: directory + "/chosen")
      }
      let secret = await manager.ended(Request(.get, origin.url("/moved")))
      #expect(secret.response?.status == (hooks ? .ok : .unauthorized))
      let sent = await manager.ended {
        manager.uploadTask(with: Request(.post, origin.url("/post")), from: Data(count: 50_000), completion: $0)
      }
      #expect(sent.value as? Data == Data("50000".utf8))
      if carrier == .curl {
        let (stream, feed) = AsyncStream.makeStream(of: Data.self)
        feed.yield(Data("first".utf8))
        feed.finish()
        let streamed = await manager.ended {
          manager.uploadTask(
            withStreamedRequest: Request(.post, origin.url("/elsewhere"), body: .stream(stream)), completion: $0)
        }
        #expect(streamed.error == nil && streamed.value as? Data == Data("5".utf8))
      }
      let file = await manager.ended(Request(.get, origin.url("/file")))
      #expect(file.error == nil)
      if hooks {
        #expect((file.value as? DownloadResult)?.path == directory + "/chosen")
        #expect(FileManager.default.contents(atPath: directory + "/chosen")?.count == 200_000)
      }
      let background = try await Fixture.background(directory, BackgroundLog().names, manager: manager)
      try await background.downloadTask(
        with: Request(.get, origin.url("/file")), to: .file(directory + "/background"), handler: .log
      ).resume()
      try await background.finished()
      await background.close()
      manager.invalidate(cancelingTasks: false, resetSession: false)
      await Fixture.drain(manager.callbackQueue)
    }
    await origin.stop()
    return log.all
  }

  /// The hooks that the requests reach over a transport.
  private func reached(_ carrier: Carrier, hooks: Bool) -> Set<SessionHook> {
    var all = Set(SessionHook.allCases)
    // Certificates and resumed downloads have tests of their own.
    all.subtract([.connectionChallenge, .didResume])
    // `URLSessionTransport` refuses streams, so no body is needed twice.
    if carrier == .urlSession { all.remove(.needsNewBody) }
    // Without the hook, no data task becomes a download.
    if !hooks { all.subtract([.didBecomeDownload, .destination, .didWriteData, .willCacheResponse]) }
    return all
  }

  @Test(arguments: Carrier.allCases)
  func `every hook is asked alone, without a subclass`(_ carrier: Carrier) async throws {
    let log = try await log(carrier, overrides: false, hooks: true)
    #expect(Set(log) == Set(reached(carrier, hooks: true).map { "hook \($0.rawValue)" }))
  }

  @Test(arguments: Carrier.allCases)
  func `every overridden method is called without a hook`(_ carrier: Carrier) async throws {
    let log = try await log(carrier, overrides: true, hooks: false)
    #expect(Set(log).isSuperset(of: Set(reached(carrier, hooks: false).map { "override \($0.rawValue)" })))
  }

  @Test(arguments: Carrier.allCases)
  func `an overridden method comes before the hook of its name, each time`(_ carrier: Carrier) async throws {
    let log = try await log(carrier, overrides: true, hooks: true)
    for hook in reached(carrier, hooks: true) {
      let calls = log.filter { $0.hasSuffix(" " + hook.rawValue) }
      #expect(!calls.isEmpty, "\(hook)")
      let pairs = stride(from: 0, to: calls.count, by: 2).map { Array(calls[$0..<min($0 + 2, calls.count)]) }
      #expect(pairs.allSatisfy { $0 == ["override \(hook.rawValue)", "hook \(hook.rawValue)"] }, "\(hook): \(calls)")
      #expect(hook.order.firstIndex(of: .override)! < hook.order.firstIndex(of: .hook)!)
    }
  }

  @Test func `the table asks each party once, overrides before hooks, and questions have a last answer`() {
    for hook in SessionHook.allCases {
      #expect(Set(hook.order).count == hook.order.count)
      #expect(hook.order.contains(.override) && hook.order.contains(.hook))
      if hook.isQuestion { #expect([.standard, .task].contains(hook.order.last), "\(hook)") }
    }
  }

  @Test func `challenges of connections go to the hook for connections first`() throws {
    let space = ProtectionSpace(
      origin: try Origin(scheme: .https, host: "birds.test"), scheme: "server-trust")
    var credential = space
    credential.scheme = "basic"
    #expect(SessionHook.of(Challenge(protectionSpace: space)) == .connectionChallenge)
    #expect(SessionHook.of(Challenge(protectionSpace: credential)) == .credentialChallenge)
    #expect(SessionHook.connectionChallenge.first { _ in true } == .sessionHook)
    #expect(SessionHook.connectionChallenge.first { $0 != .sessionHook } == .hook)
    #expect(SessionHook.credentialChallenge.first { _ in true } == .hook)
    #expect(SessionHook.credentialChallenge.first { _ in false } == .standard)
  }
}

extension SessionHook {
  /// Whether it has an answer; a notice has none.
  fileprivate var isQuestion: Bool {
    switch self {
    case .connectionChallenge, .credentialChallenge, .needsNewBody, .willRedirect, .didReceiveResponse,
      .willCacheResponse, .destination:
      true
    default: false
    }
  }
}
