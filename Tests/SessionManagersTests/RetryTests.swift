import CurlewCore
import CurlewJSON
import CurlewLoading
import CurlewSerialization
import CurlewSession
import CurlewTestSupport
import Dispatch
import Foundation
import HTTPTypes
import Testing

@testable import CurlewSessionManagers

/// FWFramework's contract of `dataTaskWithRequestBuilder`.
@Suite(.timeLimit(.minutes(10))) struct RetryTests {
  /// Answers 500 until an attempt.
  private func failing(until attempt: Int) -> StubTransport {
    StubTransport { asked in
      asked.index + 1 < attempt ? StubAnswer(.internalServerError, body: [.bytes(Data("no".utf8))]) : Fixture.json()
    }
  }

  @Test func `each attempt has a new request, and the handler sees the same task before each later one`() async throws {
    let manager = try Fixture.manager(failing(until: 3))
    let (built, handled, ends) = (Collected<Int>(), Collected<(Int, Int)>(), Collected<Ended>())
    let task = manager.dataTask(
      requestBuilder: {
        built.append(1)
        return Request(.get, Fixture.url, headerFields: [.userAgent: "try \(built.all.count)"])
      }, retryCount: 4, retryInterval: .zero, taskHandler: { handled.append(($0.identifier, built.all.count)) },
      completion: { ends.append(Ended(response: $0, value: $1, error: $2)) })
    #expect(built.all.isEmpty)
    task.resume()
    await Fixture.wait(while: ends.all.isEmpty)
    #expect(ends.all.count == 1 && ends.all.first?.value is JSONValue)
    #expect(built.all.count == 3 && task.attemptCount == 3 && task.totalTime > .zero)
    #expect(handled.all.map(\.0) == [task.identifier, task.identifier] && handled.all.map(\.1) == [1, 2])
    #expect(task.currentRequest?.headerFields[.userAgent] == "try 3")
  }

  @Test(arguments: [(-1, 1), (0, 1), (1, 2), (3, 4)])
  func `the count of attempts is one more than that of retries`(_ count: Int, _ attempts: Int) async throws {
    let stub = failing(until: 100)
    let manager = try Fixture.manager(stub)
    let ended = await manager.ended {
      manager.dataTask(
        requestBuilder: { Fixture.request }, retryCount: count, retryInterval: .zero, completion: $0)
    }
    #expect(ended.kind == .unacceptableStatus && stub.requestCount == attempts)
  }

  @Test func `the app decides, once for each attempt, and a forgotten reply means no`() async throws {
    let stub = failing(until: 100)
    let manager = try Fixture.manager(stub)
    let asked = Collected<Int?>()
    let ended = await manager.ended { completion in
      manager.dataTask(
        requestBuilder: { Fixture.request }, retryCount: 9, retryInterval: .zero,
        shouldRetry: { response, value, error, reply in
          asked.append(response?.status.code)
          #expect(value == nil && error is NetworkError)
          if asked.all.count == 3 { return }
          reply(true)
          reply(false)
        }, completion: completion)
    }
    #expect(ended.kind == .unacceptableStatus && asked.all == [500, 500, 500] && stub.requestCount == 3)
  }

  @Test func `the app can ask for another attempt after a success`() async throws {
    let stub = StubTransport(Fixture.json())
    let manager = try Fixture.manager(stub)
    let ended = await manager.ended { completion in
      manager.dataTask(
        requestBuilder: { Fixture.request }, retryCount: 2, retryInterval: .zero,
        shouldRetry: { _, value, error, reply in reply(value is JSONValue && error == nil) }, completion: completion)
    }
    #expect(ended.value is JSONValue && stub.requestCount == 3)
  }

  @Test func `cancelling ends a wait between attempts, and the handler is called once`() async throws {
    let stub = failing(until: 100)
    let manager = try Fixture.manager(stub)
    let ends = Collected<Ended>()
    let task = manager.dataTask(
      requestBuilder: { Fixture.request }, retryCount: 9, retryInterval: .seconds(3_600),
      completion: { ends.append(Ended(response: $0, value: $1, error: $2)) })
    task.resume()
    await Fixture.wait(while: task.attempts.first?.ended == nil)
    task.cancel()
    await Fixture.wait(while: ends.all.isEmpty)
    #expect(ends.all.first?.error is CancellationError && stub.requestCount == 1 && task.attemptCount == 1)
  }

  @Test func `a POST that the server may have seen is repeated only if that is allowed`() async throws {
    for (repeats, requests) in [(false, 1), (true, 3)] {
      let stub = failing(until: 100)
      let manager = try Fixture.manager(stub)
      let ended = await manager.ended {
        manager.dataTask(
          requestBuilder: { Request(.post, Fixture.url, body: .bytes(Data("x".utf8))) }, retryCount: 2,
          retryInterval: .zero, repeatsUnsafe: repeats, completion: $0)
      }
      #expect(ended.kind == .unacceptableStatus && stub.requestCount == requests)
    }
  }

  @Test func `a builder that throws fails the task with its error`() async throws {
    struct NoToken: Error {}
    let stub = StubTransport(Fixture.json())
    let manager = try Fixture.manager(stub)
    let ended = await manager.ended {
      manager.dataTask(requestBuilder: { throw NoToken() }, retryCount: 0, retryInterval: .zero, completion: $0)
    }
    #expect(ended.error is NoToken && stub.requestCount == 0)
  }

  @Test func `the numbers can be read after a failure and set`() async throws {
    let manager = try Fixture.manager(failing(until: 100))
    let task = manager.dataTask(
      requestBuilder: { Fixture.request }, retryCount: 1, retryInterval: .zero, completion: nil)
    task.resume()
    await Fixture.wait(while: task.state != .completed)
    #expect(task.attemptCount == 2 && task.totalTime > .zero)
    task.attemptCount = 7
    task.totalTime = .seconds(9)
    #expect(task.attemptCount == 7 && task.totalTime == .seconds(9))
  }
}
