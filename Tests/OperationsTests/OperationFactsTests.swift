import CurlewCore
import CurlewLoading
import CurlewTestSupport
import Dispatch
import Foundation
import HTTPTypes
import Testing

@testable import CurlewOperations

/// What an operation shows and keeps beside its outcome.
@Suite(.timeLimit(.minutes(2))) struct OperationFactsTests {
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
}
