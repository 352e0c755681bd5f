import CurlewCore
import CurlewLoading
import CurlewRequests
import CurlewSerialization
import CurlewSession
import CurlewTestSupport
import Foundation
import Glibc
import HTTPTypes
import Testing

@testable import CurlewSessionManagers

@Suite(.timeLimit(.minutes(10))) struct InvalidationTests {
  private func gated(_ gate: ManualGate) -> StubTransport {
    StubTransport { _ in
      try await gate.wait()
      return Fixture.json()
    }
  }

  @Test func `tasks end before their session, and later ones fail with a typed error`() async throws {
    let gate = ManualGate()
    let stub = gated(gate)
    let manager = try Fixture.manager(stub)
    let order = Collected<String>()
    manager.hooks.sessionDidBecomeInvalid = { _ in order.append("invalid") }
    manager.onEvent(on: CallbackExecutor { $0() }) { event in
      if case .sessionInvalidated = event { order.append("event") }
    }
    let task = manager.dataTask(with: Fixture.request) { _, value, _ in order.append(value == nil ? "failed" : "value")
    }
    task.resume()
    try await gate.waitForArrivals()
    manager.invalidate(cancelingTasks: false, resetSession: false)
    await Fixture.drain(manager.callbackQueue)
    #expect(order.all.isEmpty && task.state == .running)
    let late = await manager.ended(Fixture.request)
    #expect(late.kind == .sessionInvalidated && stub.requestCount == 1)
    #expect(order.all.isEmpty, "A task of no session ends none.")
    gate.open()
    await Fixture.wait(while: order.all.count < 3)
    #expect(Set(order.all) == ["value", "invalid", "event"])
    manager.invalidate(cancelingTasks: true, resetSession: true)
    #expect(await manager.ended(Fixture.request).error == nil)
    #expect(order.all.count == 3, "A session ends once.")
  }

  @Test(arguments: [true, false])
  func `a session becomes invalid after the completion handlers of its tasks, and a task settles after its own`(
    cancels: Bool
  ) async throws {
    let gate = ManualGate()
    let manager = try Fixture.manager(gated(gate))
    let queue = DispatchQueue(label: "slow", attributes: .initiallyInactive)
    manager.completionQueue = queue
    manager.postsNotifications = false
    let order = Collected<String>()
    manager.hooks.sessionDidBecomeInvalid = { _ in order.append("invalid") }
    let tasks = (0..<3).map { number in
      manager.dataTask(with: Fixture.request) { _, _, _ in order.append("handler") }
    }
    for task in tasks { task.resume() }
    try await gate.waitForArrivals(3)
    manager.invalidate(cancelingTasks: cancels, resetSession: true)
    gate.open()
    for task in tasks { await Fixture.wait(while: task.state != .completed) }
    await Fixture.drain(manager.callbackQueue)
    #expect(order.all.isEmpty)
    let settling = Task {
      for task in tasks { await task.settled() }
      return order.all.count { $0 == "handler" }
    }
    queue.activate()
    #expect(await settling.value == 3)
    await Fixture.drain(queue)
    await Fixture.drain(manager.callbackQueue)
    #expect(order.all == ["handler", "handler", "handler", "invalid"])
  }

  @Test func `cancelling ends the tasks at once, and a new session takes the next`() async throws {
    let gate = ManualGate()
    let manager = try Fixture.manager(gated(gate))
    let (ends, invalid) = (Collected<Bool>(), Collected<Int>())
    manager.hooks.sessionDidBecomeInvalid = { _ in invalid.append(1) }
    let tasks = (0..<5).map { _ in
      manager.dataTask(with: Fixture.request) { _, _, error in ends.append(error is CancellationError) }
    }
    for task in tasks.dropFirst() { task.resume() }
    try await gate.waitForArrivals(4)
    manager.invalidate(cancelingTasks: true, resetSession: true)
    gate.open()
    #expect(await manager.ended(Fixture.request).error == nil)
    await Fixture.wait(while: ends.all.count < 5 || invalid.all.isEmpty)
    #expect(ends.all == [true, true, true, true, true] && invalid.all.count == 1)
    #expect(tasks.allSatisfy { $0.state == .completed })
  }

  @Test func `a transport that the session made is shut down with it, and another is made`() async throws {
    let (made, stub) = (Collected<StubTransport>(), Fixture.json())
    var configuration = SessionConfiguration(
      .made {
        let transport = StubTransport(stub)
        made.append(transport)
        return transport
      })
    configuration.chain = Fixture.chain
    let manager = Fixture.manager(configuration)
    #expect(made.all.isEmpty)
    #expect(await manager.ended(Fixture.request).error == nil)
    manager.invalidate(cancelingTasks: false, resetSession: true)
    #expect(await manager.ended(Fixture.request).error == nil)
    let copy = manager.copied()
    #expect(made.all.count == 2)
    copy.completionQueue = manager.completionQueue
    #expect(await copy.ended(Fixture.request).error == nil)
    #expect(made.all.count == 3)
  }

  @Test func `the manager keeps the app's monitor, and its copy has it too`() throws {
    let manager = try Fixture.manager(StubTransport(Fixture.json()))
    #expect(manager.reachability == nil)
    let monitor = ManualReachability()
    manager.reachability = monitor
    #expect(manager.reachability as? ManualReachability === monitor)
    #expect(manager.copied().reachability as? ManualReachability === monitor)
  }

  @Test func `a copy has the settings, and neither hooks nor queues`() async throws {
    let manager = try Fixture.manager(StubTransport(Fixture.json()))
    manager.responseSerializer = .data
    manager.hooks.taskDidComplete = { _, _, _ in Issue.record("The copy has no hooks.") }
    let copy = manager.copied()
    #expect(copy.completionQueue == nil && copy.completionGroup == nil && copy.hooks.taskDidComplete == nil)
    #expect(!copy.postsNotifications)
    manager.postsNotifications = true
    #expect(manager.copied().postsNotifications)
    copy.completionQueue = manager.completionQueue
    #expect(await copy.ended(Fixture.request).value is Data)
  }

  // MARK: - Lifetime

  @Test func `a running task keeps its manager, and nothing keeps it afterwards`() async throws {
    let gate = ManualGate()
    var manager: URLSessionManager? = try Fixture.manager(gated(gate))
    weak let gone = manager
    let ends = Collected<Ended>()
    manager?.hooks.taskDidComplete = { _, _, _ in }
    manager?.dataTask(with: Fixture.request) { ends.append(Ended(response: $0, value: $1, error: $2)) }.resume()
    manager = nil
    try await gate.waitForArrivals()
    #expect(gone != nil)
    gate.open()
    await Fixture.wait(while: ends.all.isEmpty || gone != nil)
    #expect(ends.all.first?.value != nil && gone == nil)
  }

  @Test func `a suspended task that nobody holds is cancelled and frees its manager`() async throws {
    var manager: URLSessionManager? = try Fixture.manager(StubTransport(Fixture.json()))
    weak let gone = manager
    let ends = Collected<Ended>()
    _ = manager?.dataTask(with: Fixture.request) { ends.append(Ended(response: $0, value: $1, error: $2)) }
    await Fixture.wait(while: ends.all.isEmpty)
    #expect(ends.all.first?.error is CancellationError && manager?.tasks.isEmpty == true)
    manager = nil
    await Fixture.wait(while: gone != nil)
  }

  private static var census: (descriptors: Int, threads: Int) {
    func count(_ path: String) -> Int { (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0 }
    return (count("/proc/self/fd"), count("/proc/self/task"))
  }

  @Test func `ten thousand managers with suspended tasks cost neither a thread nor a descriptor`() async {
    await #expect(processExitsWith: .success) { await InvalidationTests.makeAndDrop(10_000) }
  }

  private static func makeAndDrop(_ count: Int) async {
    func make() -> (HTTPSessionManager, SessionTask) {
      let manager = HTTPSessionManager(Carrier.curl.configuration)
      manager.hooks.taskDidComplete = { _, _, _ in }
      return (manager, manager.dataTask(with: Fixture.request, completion: nil))
    }
    let first = make()
    let before = census
    var all = (0..<count).map { _ in make() }
    let during = census
    // Threads of the pool may end meanwhile.
    #expect(during.descriptors == before.descriptors && during.threads <= before.threads, "\(before) \(during)")
    #expect(all.count == count && first.1.state == .suspended)
    weak let last = all.last?.0
    #expect(last != nil)
    all = []
    await Fixture.wait(while: last != nil)
    #expect(census.descriptors == before.descriptors)
  }

  /// With 300 managers; `CURLEW_MANAGERS=10000` makes that many.
  @Test func `managers that send leave no descriptor, hundred by hundred`() async {
    await #expect(processExitsWith: .success) {
      let count = ProcessInfo.processInfo.environment["CURLEW_MANAGERS"].flatMap { Int($0) } ?? 300
      let origin = try await ScriptedOrigin.start { _ in .json("{}") }
      let start = InvalidationTests.census
      for _ in 0..<count / 100 {
        for _ in 0..<100 {
          let manager = Fixture.manager(Carrier.curl.configuration)
          #expect(await manager.ended(Request(.get, origin.url("/"))).error == nil)
        }
        // The transports end by themselves, soon after their last use, and the origin then sees their connections close.
        await Fixture.wait(while: InvalidationTests.census.descriptors > start.descriptors + 4)
      }
      let end = InvalidationTests.census
      FileHandle.standardError.write(Data("figure: \(count) managers used; before \(start), after \(end)\n".utf8))
      await origin.stop()
    }
  }
}
