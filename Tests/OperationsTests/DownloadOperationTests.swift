import CurlewCore
import CurlewCurlTransport
import CurlewDownload
import CurlewLoading
import CurlewOperations
import CurlewTestSupport
import Dispatch
import Foundation
import HTTPTypes
import Testing

/// Holds an operation that starts, before it has created its download: it asks for the hooks first.
private final class HoldingInterceptor: Interceptor {
  let gate = DispatchSemaphore(value: 0)
  let arrivals = Count()

  var asks: HookNames {
    arrivals.add()
    gate.wait()
    return []
  }

  func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    try await next(request, in: exchange)
  }
}

/// An operation with a step, behind which the sink stands.
// Safe because it adds no state.
private final class Watching: URLConnectionOperation, @unchecked Sendable {
  override func didReceive(_ response: ResponseHead) { super.didReceive(response) }
}

@Suite(.timeLimit(.minutes(10))) struct DownloadOperationTests {
  private let resource = SeededResource(length: 300_000, seed: 5)
  private let directory = FileManager.default.temporaryDirectory.appending(path: "downloads-\(UUID().uuidString)").path

  private func withOrigin(
    _ chain: InterceptorChain = InterceptorChain(), gate: OriginGate? = nil,
    _ body: (Loader, ScriptedOrigin, DownloadDisk) async throws -> Void
  ) async throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let origin = try await ScriptedOrigin.start { [resource] request in
      guard request.path != "/missing" else { return .status(404, [:]) }
      guard let gate, request["Range"] == nil else { return resource.reply(to: request) }
      return OriginReply(
        .head(200, ["Content-Length": "300000", "ETag": resource.entityTag ?? ""]),
        .fill(resource.pattern, count: 200_000), .wait(for: gate),
        .fill(resource.pattern, from: 200_000, count: 100_000))
    }
    let transport = try CurlTransport()
    try await body(Loader(transport, chain: chain), origin, DownloadDisk())
    await transport.shutdown()
    await origin.stop()
    try FileManager.default.removeItem(atPath: directory)
  }

  private func contents(_ name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: directory + "/" + name).map { [UInt8]($0) }
  }

  @Test
  func `the settings of a download's configuration stay when the operation has blocks, and its policy comes first`()
    async throws
  {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let seen = Collected<ExchangeSettings>()
    let stub = StubTransport(capabilities: StubTransport.defaultCapabilities.union([.serverTrust, .proxy])) { asked in
      seen.append(asked.exchange.settings)
      return .text("file")
    }
    let (pinned, own) = (RecordingTrustEvaluator(), RecordingTrustEvaluator())
    for policy in [nil, own] {
      let download = DownloadOperation(
        Request(.get, Fixture.url), to: .file("\(directory)/\(seen.all.count)"),
        over: Loader(stub, chain: InterceptorChain(redirect: Redirect())), on: DownloadDisk())
      var settings = ExchangeSettings()
      settings.proxy = Proxy(host: "proxy.test", port: 8080)
      settings.serverTrust = pinned
      download.configuration.settings = settings
      download.setRedirectBlock { _, proposed, _ in proposed }
      if let policy { download.securityPolicy = policy }
      download.start()
      _ = try await download.value
      let used = try #require(seen.all.last)
      #expect(used.proxy?.host == "proxy.test" && used.hooks.redirect != nil)
      #expect(used.serverTrust as? RecordingTrustEvaluator === policy ?? pinned)
    }
  }

  @Test func `a queue of downloads stores each file, and each has exactly one block called`() async throws {
    try await withOrigin { loader, origin, disk in
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      let (stored, failed) = (Collected<String>(), Collected<String>())
      for name in ["one.pdf", "two.pdf", "missing", "three.pdf"] {
        let operation = DownloadOperation(
          Request(.get, origin.url("/" + name)), to: .directory(directory), over: loader, on: disk)
        operation.completionQueue = DispatchQueue(label: "downloads")
        operation.setCompletionBlock(
          success: { operation, file in stored.append(file.path) },
          failure: { operation, error in failed.append("\((error as? NetworkError)?.kind.rawValue ?? "")") })
        queue.addOperation(operation)
      }
      await Fixture.wait(while: stored.all.count + failed.all.count < 4)
      #expect(stored.all == ["one.pdf", "two.pdf", "three.pdf"].map { directory + "/" + $0 })
      #expect(failed.all == ["unacceptable-status"])
      #expect(contents("two.pdf") == resource.bytes(count: 300_000))
      let names = try FileManager.default.contentsOfDirectory(atPath: directory)
      #expect(names.count == 3)
    }
  }

  @Test func `a pause keeps the bytes, and resuming asks for the rest`() async throws {
    let gate = OriginGate()
    try await withOrigin(gate: gate) { loader, origin, disk in
      let operation = DownloadOperation(
        Request(.get, origin.url("/f")), to: .file(directory + "/f"), over: loader, on: disk)
      operation.start()
      await Fixture.wait(while: operation.downloadProgress.completed < 200_000)
      operation.pause()
      await operation.halted()
      operation.resume()
      let file = try await operation.value(as: DownloadResult.self)
      #expect(file.length == 300_000 && operation.file?.path == directory + "/f")
      #expect(contents("f") == resource.bytes(count: 300_000))
      #expect(origin.requests.map { $0["Range"] } == [nil, "bytes=200000-"])
      #expect(operation.responseData == nil && operation.downloadProgress.completed == 300_000)
      gate.open()
    }
  }

  @Test(arguments: [false, true])
  func `the file of any operation goes on after a pause, also behind its steps`(hasSteps: Bool) async throws {
    let gate = OriginGate()
    try await withOrigin(gate: gate) { loader, origin, disk in
      let request = Request(.get, origin.url("/f"))
      let operation = hasSteps ? Watching(request, over: loader) : URLConnectionOperation(request, over: loader)
      operation.sink = PartialSink(.file(directory + "/f"), on: disk)
      operation.start()
      await Fixture.wait(while: operation.downloadProgress.completed < 200_000)
      operation.pause()
      await operation.halted()
      operation.resume()
      await operation.settled()
      #expect(operation.error == nil)
      #expect(contents("f") == resource.bytes(count: 300_000))
      #expect(origin.requests.map { $0["Range"] } == [nil, "bytes=200000-"])
      gate.open()
    }
  }

  @Test func `cancelled, it is over at once, and another goes on with its bytes or they are discarded`() async throws {
    let gate = OriginGate()
    try await withOrigin(gate: gate) { loader, origin, disk in
      let target = DownloadTarget.file(directory + "/f")
      let operation = DownloadOperation(Request(.get, origin.url("/f")), to: target, over: loader, on: disk)
      operation.start()
      await Fixture.wait(while: operation.downloadProgress.completed < 200_000)
      operation.cancel()
      #expect(operation.isFinished && operation.error is CancellationError && operation.file == nil)
      await operation.settled()
      let next = operation.copied()
      next.start()
      let file = try await next.value(as: DownloadResult.self)
      #expect(file.resumedFrom > 0)
      #expect(contents("f") == resource.bytes(count: 300_000))
      let other = DownloadOperation(
        Request(.get, origin.url("/g")), to: .file(directory + "/g"), over: loader, on: disk)
      other.start()
      await Fixture.wait(while: other.downloadProgress.completed < 200_000)
      await other.cancelAndDiscard()
      let names = try FileManager.default.contentsOfDirectory(atPath: directory)
      #expect(names == ["f"])
      gate.open()
    }
  }

  @Test func `cancelled and discarded while another thread starts it, its bytes are gone when the call returns`()
    async throws
  {
    let holding = HoldingInterceptor()
    try await withOrigin(InterceptorChain([holding])) { loader, origin, disk in
      let operation = DownloadOperation(
        Request(.get, origin.url("/f")), to: .file(directory + "/f"), over: loader, on: disk)
      operation.callbackExecutor = .serial()
      let returns = Count()
      Thread.detachNewThread { operation.start() }
      await Fixture.wait(while: holding.arrivals.value == 0)
      let discarding = Task {
        await operation.cancelAndDiscard()
        returns.add()
      }
      await Fixture.wait(while: !operation.isFinished)
      // The same call returns for an operation that no thread is starting.
      let other = DownloadOperation(
        Request(.get, origin.url("/f")), to: .file(directory + "/g"), over: loader, on: disk)
      await other.cancelAndDiscard()
      #expect(returns.value == 0)
      holding.gate.signal()
      await discarding.value
      let names = try FileManager.default.contentsOfDirectory(atPath: directory)
      #expect(names.isEmpty)
    }
  }
}
