import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct CallbackHooksTests {
  /// Keeps work until it is told to run it.
  private final class Held: Sendable {
    private let work = Guarded<[@Sendable () -> Void]>([])
    var executor: CallbackExecutor { CallbackExecutor { [self] work in self.work.withLock { $0.append(work) } } }
    var count: Int { work.withLock { $0.count } }

    func run() {
      let taken = work.withLock { work in
        defer { work = [] }
        return work
      }
      for work in taken { work() }
    }
  }

  private struct Failure: Error {}

  private static func space() throws -> ProtectionSpace {
    ProtectionSpace(origin: try Origin(scheme: .http, host: "h.test"), scheme: "basic")
  }

  private static let head = ResponseHead(url: Fixture.url, status: .found)

  @Test func `unset callbacks leave the hooks below them`() async throws {
    #expect(CallbackHooks().hooks(on: .serial()).names.isEmpty)
    var below = ExchangeHooks()
    below.storeInCache = { _ in .refuse }
    var callbacks = CallbackHooks()
    callbacks.redirect = { _, _ in nil }
    let hooks = callbacks.hooks(on: .serial(), over: below)
    #expect(hooks.names == [.redirect, .storeInCache])
    #expect(try await hooks.redirect?(Fixture.request(), Self.head) == nil)
  }

  @Test func `nothing is called before the executor runs it, and the question waits`() async throws {
    let held = Held()
    let calls = Guarded(0)
    var callbacks = CallbackHooks()
    callbacks.canAnswer = { _ in
      calls.withLock { $0 += 1 }
      return true
    }
    let hooks = callbacks.hooks(on: held.executor)
    let space = try Self.space()
    let answer = Task { await hooks.canAnswer?(space) }
    await Fixture.wait(while: held.count == 0)
    #expect(calls.withLock { $0 } == 0)
    held.run()
    #expect(await answer.value == true)
    #expect(calls.withLock { $0 } == 1)
  }

  @Test func `a question whose task is cancelled is answered at once and its callback is not run`() async throws {
    let held = Held()
    let calls = Guarded(0)
    var callbacks = CallbackHooks()
    callbacks.redirect = { request, _ in
      calls.withLock { $0 += 1 }
      return request
    }
    callbacks.canAnswer = { _ in
      calls.withLock { $0 += 1 }
      return true
    }
    callbacks.challenge = { _, _ in calls.withLock { $0 += 1 } }
    callbacks.storeInCache = { _ in
      calls.withLock { $0 += 1 }
      return .store
    }
    let hooks = callbacks.hooks(on: held.executor)
    let space = try Self.space()
    let asking = Task {
      let redirect = await Fixture.kind { _ = try await hooks.redirect?(Fixture.request(), nil) }
      let canAnswer = await hooks.canAnswer?(space)
      let challenge = await hooks.challenge?(Challenge(protectionSpace: space))
      let stored = await hooks.storeInCache?(Self.head)
      return (redirect, canAnswer, "\(String(describing: challenge))", "\(String(describing: stored))")
    }
    await Fixture.wait(while: held.count == 0)
    asking.cancel()
    let (redirect, canAnswer, challenge, stored) = await asking.value
    #expect(redirect?.rawValue == "CancellationError")
    #expect(canAnswer == false)
    #expect(challenge.contains("cancel"))
    #expect(stored.contains("refuse"))
    held.run()
    #expect(calls.withLock { $0 } == 0)
  }

  @Test func `what a callback throws ends the request, or says no`() async throws {
    var callbacks = CallbackHooks()
    callbacks.redirect = { _, _ in throw Failure() }
    callbacks.newBody = { _ in throw Failure() }
    callbacks.canAnswer = { _ in throw Failure() }
    callbacks.mayUseStoredCredentials = { _ in throw Failure() }
    callbacks.storeInCache = { _ in throw Failure() }
    callbacks.challenge = { _, _ in throw Failure() }
    let hooks = callbacks.hooks(on: .serial())
    let space = try Self.space()
    await #expect(throws: Failure.self) { try await hooks.redirect?(Fixture.request(), nil) }
    await #expect(throws: Failure.self) { try await hooks.newBody?(Fixture.request()) }
    #expect(await hooks.canAnswer?(space) == false)
    #expect(await hooks.mayUseStoredCredentials?(space) == false)
    guard case .refuse? = await hooks.storeInCache?(Self.head) else {
      Issue.record("a response was stored")
      return
    }
    guard case .cancel(let error)? = await hooks.challenge?(Challenge(protectionSpace: space)), error is Failure else {
      Issue.record("the error was lost")
      return
    }
  }

  @Test func `a callback without a body leaves the question to the hook below it`() async throws {
    var below = ExchangeHooks()
    below.newBody = { _ in .bytes(Data([1, 2])) }
    var callbacks = CallbackHooks()
    callbacks.newBody = { _ in nil }
    #expect(try await callbacks.hooks(on: .serial(), over: below).newBody?(Fixture.request())?.length == 2)
    #expect(try await callbacks.hooks(on: .serial()).newBody?(Fixture.request()) == nil)
  }

  @Test func `a challenge takes the first answer, and default handling where its reply is let go`() async throws {
    let replies = Guarded<[ChallengeReply]>([])
    var callbacks = CallbackHooks()
    callbacks.challenge = { challenge, reply in
      guard challenge.previousFailureCount > 0 else { return }
      replies.withLock { $0.append(reply) }
    }
    let hooks = callbacks.hooks(on: .serial())
    let space = try Self.space()
    guard case .defaultHandling? = await hooks.challenge?(Challenge(protectionSpace: space)) else {
      Issue.record("a lost reply was not default handling")
      return
    }
    let asked = Task {
      await hooks.challenge?(Challenge(protectionSpace: space, previousFailureCount: 1))
    }
    await Fixture.wait(while: replies.withLock { $0.isEmpty })
    let reply = replies.withLock { $0[0] }
    reply(.reject)
    reply(.use(.bearer(token: "late")))
    guard case .reject? = await asked.value else {
      Issue.record("the first answer did not count")
      return
    }
  }
}
