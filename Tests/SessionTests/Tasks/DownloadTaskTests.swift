import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewSession

/// Download tasks over real transports and a scripted origin.
@Suite(.timeLimit(.minutes(10))) struct DownloadTaskTests {
  private static let resource = SeededResource(length: 300_000, seed: 8)
  private let bytes = Self.resource.bytes(count: 300_000)

  private func serving(
    _ carrier: Carrier, _ body: (HTTPSession, ScriptedOrigin, String) async throws -> Void
  ) async throws {
    let origin = try await ScriptedOrigin.start { request in
      switch request.path {
      case "/gone": .status(404, "gone")
      case "/half":
        request["Range"] == nil
          ? Self.resource.reply(to: request).cut(after: 100_000, by: .stall) : Self.resource.reply(to: request)
      case "/lost": Self.resource.reply(to: request).cut(after: 100_000)
      default: Self.resource.reply(to: request)
      }
    }
    do {
      try await carrier.withSession { session in
        try await TaskFixture.withFolder { folder in try await body(session, origin, folder) }
      }
    } catch {
      await origin.stop()
      throw error
    }
    await origin.stop()
  }

  @Test(arguments: Carrier.allCases) func `the destination is asked once, after the head was accepted`(
    carrier: Carrier
  ) async throws {
    try await serving(carrier) { session, origin, folder in
      let asked = Collected<Int>()
      let target = DownloadTarget.chosen(partialIn: folder) { head in
        asked.append(head.status.code)
        return folder + "/chosen-" + head.suggestedFileName
      }
      let refused = session.download(Request(.get, origin.url("/gone")), to: target)
      let error = await networkError { _ = try await refused.value }
      #expect(error?.kind == .unacceptableStatus && error?.details.responseBody == Data("gone".utf8))
      #expect(asked.all.isEmpty)
      #expect(try TaskFixture.names(in: folder) == [])
      let task = session.download(Request(.get, origin.url("/f")), to: target)
      let result = try await task.value
      #expect(result.path == folder + "/chosen-f")
      #expect(asked.all == [200] && task.resumeData == nil && task.download.completed == 300_000)
      #expect(try TaskFixture.contents(folder + "/chosen-f") == bytes)
      // What stands there is never overwritten silently.
      let again = session.download(Request(.get, origin.url("/f")), to: .file(folder + "/chosen-f"))
      #expect(await networkError { _ = try await again.value }?.kind == .targetExists)
    }
  }

  @Test(arguments: Carrier.allCases) func `resume data take a download to its end in another session`(
    carrier: Carrier
  ) async throws {
    try await serving(carrier) { session, origin, folder in
      let target = DownloadTarget.directory(folder, identifier: "the atlas")
      let task = session.download(Request(.get, origin.url("/half")), to: target)
      #expect(task.resumeData == nil)
      task.resume()
      await wait(while: task.downloadProgress?.current.completed ?? 0 < 50_000)
      let data = try #require(await task.cancelByProducingResumeData())
      #expect(task.state == .completed && task.error is CancellationError)
      let kept = data.download.completed
      #expect(kept >= 50_000 && data.download.total == 300_000 && data.download.partialPath == nil)
      let stored = try data.encoded()
      let read = try DownloadResumeData(stored)
      #expect(read.request.url == origin.url("/half") && read.omittedSecrets.isEmpty)
      try await carrier.withSession { other in
        let resumed = Collected<Int64>()
        let hooks = SessionTaskHooks().with {
          $0.didResumeDownload = { _, offset, total in
            resumed.append(offset)
            #expect(total == 300_000)
          }
        }
        // The identifier is in the resume data; the directory is the caller's.
        let rest = other.download(resuming: read, to: .directory(folder), hooks: hooks)
        let result = try await rest.value
        #expect(result.resumedFrom == kept && resumed.all == [kept])
        #expect(try TaskFixture.contents(result.path) == bytes)
        #expect(try TaskFixture.names(in: folder) == ["half"])
      }
    }
  }

  @Test func `resume data find their bytes with a fresh link, whose query is another one`() async throws {
    try await serving(.curl) { session, origin, folder in
      let task = session.download(Request(.get, origin.url("/half?sig=1")), to: .directory(folder))
      task.resume()
      await wait(while: task.downloadProgress?.current.completed ?? 0 < 50_000)
      let data = try #require(await task.cancelByProducingResumeData())
      let fresh = Request(.get, origin.url("/half?sig=2"))
      let result = try await session.download(resuming: data, with: fresh, to: .directory(folder)).value
      #expect(result.resumedFrom == data.download.completed)
      #expect(try TaskFixture.contents(result.path) == bytes)
      #expect(try TaskFixture.names(in: folder) == ["half"])
    }
  }

  @Test(arguments: Carrier.allCases) func `a suspended download lets go and requests the rest`(
    carrier: Carrier
  ) async throws {
    try await serving(carrier) { session, origin, folder in
      let task = session.download(Request(.get, origin.url("/half")), to: .file(folder + "/f")) {
        $0.pausing = .release(after: .zero)
      }
      task.resume()
      await wait(while: task.downloadProgress?.current.completed ?? 0 < 50_000)
      task.suspend()
      await task.halted()
      #expect(task.state == .suspended)
      let kept = task.download.completed
      // Another download begins and ends meanwhile.
      _ = try await session.download(Request(.get, origin.url("/f")), to: .file(folder + "/other")).value
      #expect(task.download.completed == kept)
      task.resume()
      _ = try await task.value
      #expect(try TaskFixture.contents(folder + "/f") == bytes)
      #expect(task.attempts.last?.request?.headerFields[.range] == "bytes=\(kept)-")
    }
  }

  @Test func `a failed download has resume data, and discarding removes the bytes`() async throws {
    try await serving(.curl) { session, origin, folder in
      let task = session.download(Request(.get, origin.url("/lost")), to: .file(folder + "/f")) { $0.retry = nil }
      let error = await networkError { _ = try await task.value }
      #expect(error != nil)
      let data = try #require(task.resumeData)
      #expect(error?.details.resumption?.completedBytes == data.download.completed)
      #expect(try TaskFixture.names(in: folder) == [".f.curlew-part", ".f.curlew-state"])
      await task.discard()
      #expect(try TaskFixture.names(in: folder) == [] && task.resumeData == nil)
      // Without its bytes, a download starts over.
      let whole = session.download(
        resuming: data, with: Request(.get, origin.url("/f")), to: .file(folder + "/f"))
      #expect(try await whole.value.resumedFrom == 0)
      #expect(try TaskFixture.contents(folder + "/f") == bytes)
    }
  }

  @Test func `discarding a task that was never resumed removes what an earlier one left`() async throws {
    try await serving(.curl) { session, origin, folder in
      let task = session.download(Request(.get, origin.url("/half")), to: .file(folder + "/f"))
      task.resume()
      await wait(while: task.downloadProgress?.current.completed ?? 0 < 50_000)
      task.cancel()
      await task.settled()
      let left = try TaskFixture.names(in: folder)
      #expect(left == [".f.curlew-part", ".f.curlew-state"])
      await session.download(Request(.get, origin.url("/half")), to: .file(folder + "/f")).discard()
      #expect(try TaskFixture.names(in: folder) == [])
    }
  }

  @Test func `a cancelled download is canceling until its bytes are stored, and its target is free then`() async throws
  {
    try await serving(.curl) { session, origin, folder in
      let task = session.download(Request(.get, origin.url("/half")), to: .file(folder + "/f"))
      let states = Collected<SessionTaskState>()
      task.onStateChange(on: .inline) { states.append($0) }
      task.resume()
      await wait(while: task.downloadProgress?.current.completed ?? 0 < 50_000)
      #expect(task.cancel() && !task.cancel())
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(states.all == [.running, .canceling, .completed])
      _ = try await session.download(Request(.get, origin.url("/half")), to: .file(folder + "/f")).value
    }
  }

  @Test func `a suspended download that nobody holds is cancelled, and says so`() async throws {
    try await serving(.curl) { session, origin, folder in
      let ends = Collected<Bool>()
      do {
        let task = session.download(Request(.get, origin.url("/half")), to: .file(folder + "/f"))
        task.onFinish(on: .inline) { ends.append($0.error is CancellationError) }
        task.resume()
        await wait(while: task.downloadProgress?.current.completed ?? 0 < 50_000)
        task.suspend()
      }
      await wait(while: ends.all.isEmpty)
      #expect(ends.all == [true])
      // The lock on the target was released before.
      _ = try await session.download(Request(.get, origin.url("/f")), to: .file(folder + "/f")).value
    }
  }
}
