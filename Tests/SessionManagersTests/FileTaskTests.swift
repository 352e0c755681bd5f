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

@Suite(.timeLimit(.minutes(10))) struct FileTaskTests {
  private func origin() async throws -> ScriptedOrigin {
    let resource = SeededResource(length: 300_000, seed: 3)
    return try await ScriptedOrigin.start { request in
      switch request.path {
      case "/echo":
        let body = await request.body()
        return .ok(body)
      case "/missing": return .status(404, "no such file")
      default: return resource.reply(to: request)
      }
    }
  }

  @Test(arguments: Carrier.allCases)
  func `files, bytes and streams are uploaded, with one final progress`(_ carrier: Carrier) async throws {
    let origin = try await origin()
    let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
    try await Fixture.withDirectory { directory in
      let file = URL(filePath: directory + "/up.bin")
      try bytes.write(to: file)
      let manager = Fixture.manager(carrier.configuration)
      manager.responseSerializer = .data
      let request = Request(.post, origin.url("/echo"))
      for kind in ["file", "data", "stream"] {
        let progress = Collected<TransferProgress>()
        let ended = await manager.ended { completion in
          switch kind {
          case "file":
            return manager.uploadTask(
              with: request, fromFile: file, progress: { progress.append($0) }, completion: completion)
          case "data":
            return manager.uploadTask(
              with: request, from: bytes, progress: { progress.append($0) }, completion: completion)
          default:
            var request = request
            let (chunks, feed) = AsyncStream.makeStream(of: Data.self)
            feed.yield(bytes)
            feed.finish()
            request.body = .stream(chunks, length: Int64(bytes.count))
            return manager.uploadTask(
              withStreamedRequest: request, progress: { progress.append($0) }, completion: completion)
          }
        }
        if kind == "stream", carrier == .urlSession {
          #expect(ended.kind == .unsupported)
          continue
        }
        #expect(ended.value as? Data == bytes, "\(kind): \(ended.error as Any)")
        await Fixture.drain(manager.callbackQueue)
        #expect(progress.all.filter(\.isFinal).map(\.completed) == [100_000], "\(kind)")
      }
      let missing = await manager.ended {
        manager.uploadTask(with: request, fromFile: URL(filePath: directory + "/none"), completion: $0)
      }
      #expect(missing.kind == .fileError)
    }
    await origin.stop()
  }

  @Test(arguments: Carrier.allCases)
  func `a download ends in a file, and tells where it is`(_ carrier: Carrier) async throws {
    let origin = try await origin()
    try await Fixture.withDirectory { directory in
      let manager = Fixture.manager(carrier.configuration)
      let (events, ends) = (Collected<String>(), Collected<(String?, NetworkError.Kind?)>())
      manager.onEvent(on: CallbackExecutor { $0() }) { event in
        switch event {
        case .fileMoved(_, let path): events.append("moved \(path)")
        case .fileMoveFailed: events.append("not moved")
        case .completed: events.append("completed")
        default: break
        }
      }
      let progress = Collected<Int64>()
      func download(_ path: String, to target: DownloadTarget) async {
        let count = ends.all.count
        let task = manager.downloadTask(
          with: Request(.get, origin.url(path)), to: target,
          progress: { if $0.isFinal { progress.append($0.completed) } },
          completion: { _, path, error in ends.append((path, (error as? NetworkError)?.kind)) })
        task.resume()
        await Fixture.wait(while: events.all.count { $0 == "completed" } == count)
      }
      await download("/file", to: .file(directory + "/a"))
      #expect(FileManager.default.contents(atPath: directory + "/a")?.count == 300_000)
      // A file that exists is not replaced.
      await download("/file", to: .file(directory + "/a"))
      // The body of an error is not stored.
      await download("/missing", to: .file(directory + "/b"))
      let chosen = directory + "/sub/c"
      try FileManager.default.createDirectory(atPath: directory + "/sub", withIntermediateDirectories: true)
      await download("/file", to: .chosen(partialIn: directory) { _ in chosen })
      // Only a complete file can fail to be moved.
      await download("/file", to: .chosen(partialIn: directory) { _ in directory + "/none/d" })
      #expect(ends.all.map(\.0) == [directory + "/a", nil, nil, chosen, nil])
      #expect(ends.all.map(\.1) == [nil, .targetExists, .unacceptableStatus, nil, .fileError])
      #expect(progress.all.allSatisfy { $0 == 300_000 })
      #expect(
        events.all == [
          "moved \(directory)/a", "completed", "completed", "completed", "moved \(chosen)", "completed", "not moved",
          "completed",
        ])
      let files = try FileManager.default.subpathsOfDirectory(atPath: directory).sorted()
      #expect(files.filter { !$0.contains(".curlew-") } == ["a", "sub", "sub/c"])
    }
    await origin.stop()
  }

  @Test func `the manager's destination comes before the task's own`() async throws {
    try await Fixture.withDirectory { directory in
      for wanted in [directory + "/hook", nil] {
        let manager = try Fixture.manager(StubTransport(.bytes(Data(count: 1_000))))
        manager.hooks.downloadTaskDestination = { _, task, head in
          #expect(task.kind == .download && head.status == .ok)
          return wanted
        }
        let ends = Collected<String?>()
        manager.downloadTask(with: Fixture.request, to: .file(directory + "/own")) { _, path, _ in ends.append(path) }
          .resume()
        await Fixture.wait(while: ends.all.isEmpty)
        #expect(ends.all == [wanted ?? directory + "/own"])
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == ["hook", "own"])
    }
  }

  @Test(arguments: Carrier.allCases)
  func `resume data goes on in another manager`(_ carrier: Carrier) async throws {
    let resource = SeededResource(length: 300_000, seed: 3)
    let origin = try await ScriptedOrigin.start { request in
      let reply = resource.reply(to: request)
      return request["Range"] == nil ? reply.throttled(to: 300_000).cut(after: 200_000, by: .stall) : reply
    }
    try await Fixture.withDirectory { directory in
      let manager = Fixture.manager(carrier.configuration)
      let written = Collected<Int64>()
      manager.hooks.downloadTaskDidWriteData = { _, _, _, total, _ in written.append(total) }
      let task = manager.downloadTask(
        with: Request(.get, origin.url("/file")), to: .file(directory + "/a"), completion: nil)
      task.resume()
      await Fixture.wait(while: written.all.isEmpty)
      let data = try #require(await task.cancelByProducingResumeData())
      let stored = try data.encoded()
      let other = Fixture.manager(carrier.configuration)
      let (offsets, ends) = (Collected<Int64>(), Collected<String?>())
      other.hooks.downloadTaskDidResume = { _, _, offset, total in
        #expect(total == 300_000)
        offsets.append(offset)
      }
      let again = other.downloadTask(
        resuming: try DownloadResumeData(stored), to: .file(directory + "/a"),
        completion: { _, path, _ in ends.append(path) })
      again.resume()
      await Fixture.wait(while: ends.all.isEmpty)
      #expect(ends.all == [directory + "/a"])
      #expect((offsets.all.first ?? 0) > 0 && offsets.all.count == 1)
      let bytes = FileManager.default.contents(atPath: directory + "/a")
      #expect(bytes == Data(resource.bytes(count: 300_000)))
    }
    await origin.stop()
  }

  @Test(arguments: Carrier.allCases)
  func `the app allows a response, cancels it, or makes it a download`(_ carrier: Carrier) async throws {
    let origin = try await origin()
    try await Fixture.withDirectory { directory in
      for disposition in ["allow", "cancel", "download"] {
        let manager = Fixture.manager(carrier.configuration)
        manager.responseSerializer = .data
        let became = Collected<Int>()
        manager.hooks.dataTaskDidReceiveResponse = { _, _, _ in
          switch disposition {
          case "allow": .allow
          case "cancel": .cancel
          default: .becomeDownload(.file(directory + "/became"))
          }
        }
        manager.hooks.dataTaskDidBecomeDownload = { _, _, download in became.append(download.identifier) }
        let ended = await manager.ended(Request(.get, origin.url("/file")))
        switch disposition {
        case "allow": #expect((ended.value as? Data)?.count == 300_000)
        case "cancel": #expect(ended.error is CancellationError && ended.value == nil)
        default:
          #expect((ended.value as? DownloadResult)?.path == directory + "/became" && ended.error == nil)
          #expect(FileManager.default.contents(atPath: directory + "/became")?.count == 300_000)
        }
        #expect(became.all.count == (disposition == "download" ? 1 : 0))
        #expect(manager.tasks.isEmpty)
      }
    }
    await origin.stop()
  }
}
