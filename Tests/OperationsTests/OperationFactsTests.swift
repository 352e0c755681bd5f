import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewSecurity
import CurlewTestSupport
import Dispatch
import Foundation
import HTTPTypes
import Testing

@testable import CurlewOperations

/// Refuses every certificate.
private struct NobodyTrusted: ServerTrustEvaluating {
  var connectionKey: ConnectionKey { ConnectionKey("nobody") }
  func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {
    throw ServerTrustError(.policy, message: "Nobody is trusted.")
  }
}

/// What an operation shows and keeps beside its outcome.
@Suite(.timeLimit(.minutes(10))) struct OperationFactsTests {
  private enum Ticket: UserInfoKey { typealias Value = Int }

  @Test func `its description has the state, the request without secrets and the status`() async throws {
    let url = try #require(URL(string: "http://stub.test/birds?token=hush"))
    let loader = Loader(StubTransport(.text("hello")))
    let operation = HTTPRequestOperation(Request(.get, url), over: loader)
    #expect(operation.description.hasPrefix("<HTTPRequestOperation: ready, "))
    #expect(operation.description.contains("stub.test/birds") && !operation.description.contains("hush"))
    operation.start()
    _ = try await operation.value
    #expect(operation.description.contains(": finished, ") && operation.description.hasSuffix(", 200>"))
    let cancelled = HTTPRequestOperation(Request(.get, url), over: loader)
    cancelled.cancel()
    #expect(cancelled.description.contains(": finished, cancelled, "))
  }

  @Test func `the app's values reach the exchange, and stay after the end`() async throws {
    let seen = Collected<Int?>()
    let stub = StubTransport { asked in
      seen.append(asked.exchange[Ticket.self])
      return .text("hello")
    }
    let operation = Fixture.operation(stub)
    operation[Ticket.self] = 7
    operation.start()
    _ = try await operation.value
    #expect(seen.all == [7] && operation[Ticket.self] == 7)
  }

  @Test func `the policy of an operation takes the place of the loader's`() async throws {
    let seen = Collected<Bool>()
    let stub = StubTransport(capabilities: StubTransport.defaultCapabilities.union(.serverTrust)) { asked in
      seen.append(asked.exchange.settings.serverTrust is NobodyTrusted)
      return .text("hello")
    }
    for policy in [nil, NobodyTrusted()] {
      let operation = Fixture.operation(stub)
      operation.securityPolicy = policy
      operation.start()
      _ = try await operation.value
    }
    #expect(seen.all == [false, true])
  }

  @Test func `the operations of a manager have its policy and its choice about stored credentials`() {
    let manager = HTTPRequestOperationManager(over: Loader(StubTransport(.text("hello"))))
    manager.securityPolicy = NobodyTrusted()
    manager.shouldUseCredentialStorage = false
    let operation = manager.operation(for: Request(.get, Fixture.url), success: nil, failure: nil)
    #expect(operation.securityPolicy is NobodyTrusted && !operation.shouldUseCredentialStorage)
  }

  @Test func `a copy of a download has its configuration, and a download has the app's values`() async throws {
    let seen = Collected<Int?>()
    let stub = StubTransport { asked in
      seen.append(asked.exchange[Ticket.self])
      return .text("hello")
    }
    let file = FileManager.default.temporaryDirectory.appending(path: "download-\(UUID().uuidString)").path
    let operation = DownloadOperation(
      Request(.get, Fixture.url), to: .file(file), over: Loader(stub), on: DownloadDisk())
    operation.postsNotifications = false
    operation[Ticket.self] = 7
    operation.configuration.retry = nil
    #expect(operation.copied().configuration.retry == nil)
    operation.start()
    #expect(try await operation.value(as: DownloadResult.self).path == file)
    #expect(seen.all == [7])
    try FileManager.default.removeItem(atPath: file)
  }

  @Test func `a body above the limit is a failure, and one of exactly the limit is not`() async throws {
    for (limit, kind) in [(4, NetworkError.Kind.bodyTooLarge as NetworkError.Kind?), (5, nil)] {
      let operation = Fixture.operation(StubTransport(.text("hello")))
      operation.responseLimit = limit
      operation.start()
      _ = try? await operation.value
      #expect((operation.error as? NetworkError)?.kind == kind)
      #expect(operation.copied().responseLimit == limit)
    }
  }

  @Test func `after the end every call is refused, and nothing changes`() async throws {
    let operation = HTTPRequestOperation(Request(.get, Fixture.url), over: Loader(StubTransport(.text("hello"))))
    operation.completionQueue = DispatchQueue(label: "facts")
    operation.start()
    let body = try await operation.value(as: Data.self)
    operation.cancel()
    operation.start()
    #expect(!operation.pause() && !operation.resume())
    #expect(operation.operationState == .finished && !operation.isCancelled && operation.error == nil)
    #expect(operation.responseData == body && operation.request.headerFields.isEmpty)
    // Settings of a finished operation can no longer be changed.
    operation.completionBlock = { Issue.record("a block that was set after the end") }
    operation.responseLimit = 1
    #expect(operation.completionBlock == nil && operation.responseLimit == URLConnectionOperation.defaultResponseLimit)
  }

  @Test func `the completion group is left after the blocks, also when nothing was started`() async {
    let operation = Fixture.operation(StubTransport(.text("hello")))
    let group = DispatchGroup()
    operation.completionGroup = group
    let order = Collected<String>()
    operation.completionBlock = { order.append("block") }
    operation.cancel()
    await withCheckedContinuation { done in
      group.notify(queue: .global()) {
        order.append("group")
        done.resume()
      }
    }
    #expect(order.all == ["block", "group"])
  }

  @Test func `a copy has the progress blocks, the group and the executor of an operation that has not finished`()
    async throws
  {
    let operation = Fixture.operation(StubTransport(.text("hello")))
    let (sent, received) = (Count(), Count())
    let group = DispatchGroup()
    operation.setUploadProgressBlock(on: .serial()) { _ in sent.add() }
    operation.setDownloadProgressBlock(on: .serial()) { _ in received.add() }
    operation.completionGroup = group
    operation.callbackExecutor = .serial()
    let copy = operation.copied()
    #expect(copy.completionGroup === group && copy.completionQueue === operation.completionQueue)
    #expect(copy.callbackExecutor != nil)
    copy.start()
    _ = try await copy.value
    await Fixture.wait(while: sent.value == 0 || received.value == 0)
  }

  @Test func `a copy refuses the servers that its original refuses, and uses the same credentials`() async throws {
    let seen = Collected<Bool>()
    let stub = StubTransport(capabilities: StubTransport.defaultCapabilities.union(.serverTrust)) { asked in
      seen.append(asked.exchange.settings.serverTrust is NobodyTrusted)
      return .text("hello")
    }
    let loader = Loader(stub, chain: InterceptorChain(authentication: Authentication()))
    let request = Request(.get, Fixture.url)
    let file = FileManager.default.temporaryDirectory.appending(path: "copy-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    let originals = [
      URLConnectionOperation(request, over: loader), HTTPRequestOperation(request, over: loader),
      DownloadOperation(request, to: .file(file), over: loader, on: DownloadDisk()),
    ]
    for original in originals {
      original.postsNotifications = false
      original.securityPolicy = NobodyTrusted()
      original.shouldUseCredentialStorage = false
      original.credential = .password(user: "user", password: "password")
      // The settings stay after the end, so a copy can repeat what has ended.
      original.cancel()
      let copy = original.copied()
      #expect(copy.securityPolicy is NobodyTrusted && !copy.shouldUseCredentialStorage && copy.credential != nil)
      copy.start()
      _ = try await copy.value
    }
    #expect(seen.all == [true, true, true])
  }
}
