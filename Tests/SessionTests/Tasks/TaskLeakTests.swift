import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewSession

/// Tasks that are made and dropped, used and unused.
@Suite(.timeLimit(.minutes(10))) struct TaskLeakTests {
  private struct Reference { weak var object: AnyObject? }

  @Test func `tasks that were never resumed leave nothing and make nothing`() {
    let made = Guarded(0)
    var references: [Reference] = []
    do {
      let session = HTTPSession(
        SessionConfiguration(
          .made {
            made.withLock { $0 += 1 }
            return StubTransport(.text(""))
          }))
      references.append(Reference(object: session.core))
      for index in 0..<2_000 {
        let task: SessionTask =
          switch index % 3 {
          case 0: session.dataTask(TaskFixture.request, hooks: SessionTaskHooks().with { $0.didFinish = { _, _ in } })
          case 1: session.upload(TaskFixture.request, from: .text("a"))
          default: session.download(TaskFixture.request, to: .file("/nowhere/f"))
          }
        if index.isMultiple(of: 2) { task.cancel() }
        references += [Reference(object: task), Reference(object: task.core)]
      }
    }
    #expect(references.allSatisfy { $0.object == nil } && made.withLock { $0 } == 0)
  }

  @Test func `tasks with all hooks release everything at their end`() async throws {
    var references: [Reference] = []
    try await TaskFixture.withFolder { folder in
      let stub = StubTransport { asked in
        asked.index.isMultiple(of: 7) ? .text("no", status: .notFound) : .bytes(Data(repeating: 1, count: 40_000))
      }
      references.append(Reference(object: stub))
      let session = HTTPSession(stub) { $0.chain.redirect = Redirect() }
      references.append(Reference(object: session.core))
      for index in 0..<300 {
        // Hooks that hold the task's neighbours, as a manager's do.
        let holder = Collected<SessionTask>()
        references.append(Reference(object: holder))
        let hooks = SessionTaskHooks().with { hooks in
          hooks.redirect = { _, proposed, _ in proposed }
          hooks.newBody = { _, _ in nil }
          hooks.willBegin = { task, _ in holder.append(task) }
          hooks.didReceiveResponse = { _, _ in
            index % 10 == 9 ? .becomeDownload(.file(folder + "/\(index)")) : .allow
          }
          hooks.didReceiveData = { _, _ in }
          hooks.didSendBodyData = { _, _, _, _ in }
          hooks.didWriteData = { _, _, _, _ in }
          hooks.didResumeDownload = { _, _, _ in }
          hooks.didChangeState = { _, _ in }
          hooks.didFinish = { _, _ in }
        }
        let task: SessionTask =
          switch index % 3 {
          case 0: session.dataTask(TaskFixture.request, hooks: hooks)
          case 1: session.upload(Request(.put, TaskFixture.url), from: .text("a"), hooks: hooks)
          default: session.download(TaskFixture.request, to: .file(folder + "/\(index)"), hooks: hooks)
          }
        references += [Reference(object: task), Reference(object: task.core)]
        task.onFinish { [task] in holder.append(task) }
        task.resume()
        switch index % 5 {
        case 0: task.cancel()
        case 1:
          task.suspend()
          task.resume()
        default: break
        }
        await task.settled()
        // A hook that keeps tasks is released with its task; what the app keeps itself is the app's.
        if let transfer = task.core.transfer { references.append(Reference(object: transfer)) }
        holder.clear()
      }
    }
    await wait(while: references.contains { $0.object != nil })
  }

  @Test func `used tasks leave neither descriptors nor threads`() async {
    await #expect(processExitsWith: .success) {
      let resource = SeededResource(length: 100_000, seed: 3)
      let origin = try await ScriptedOrigin.start { request in
        request.path == "/stall" ? .ok("x").after(.stall) : resource.reply(to: request)
      }
      func exercise() async throws {
        try await TaskFixture.withFolder { folder in
          try await Carrier.curl.withSession { session in
            for index in 0..<20 {
              let url = origin.url(index.isMultiple(of: 4) ? "/stall" : "/f")
              let task: SessionTask =
                index.isMultiple(of: 2)
                ? session.dataTask(Request(.get, url))
                : session.download(Request(.get, url), to: .file(folder + "/\(index)"))
              task.resume()
              if index.isMultiple(of: 3) { task.suspend() }
              if index.isMultiple(of: 4) { task.cancel() }
              task.resume()
              await task.settled()
            }
          }
        }
      }
      for _ in 0..<3 { try await exercise() }
      let before = TaskCensus()
      for _ in 0..<20 { try await exercise() }
      var after = TaskCensus()
      let end = ContinuousClock.now.advanced(by: .seconds(300))
      // The threads of disks end a moment after their last users.
      while after.threads > before.threads + 4, .now < end {
        await Task.yield()
        after = TaskCensus()
      }
      #expect(after.descriptors <= before.descriptors + 4)
      #expect(after.threads <= before.threads + 4)
      await origin.stop()
    }
  }
}

/// What this process holds.
private struct TaskCensus {
  let descriptors = (try? LocalFileSystem().list("/proc/self/fd").count) ?? 0
  let threads = (try? LocalFileSystem().list("/proc/self/task").count) ?? 0
}

extension SessionTask {
  fileprivate func onFinish(_ handler: @escaping @Sendable () -> Void) { onCompletion(on: .inline) { _ in handler() } }
}

extension Collected {
  fileprivate func clear() { values.withLock { $0 = [] } }
}
