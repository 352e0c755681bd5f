import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewSession
import CurlewTestSupport
import Dispatch
import Foundation
import HTTPTypes
import Testing

@testable import CurlewSessionManagers

@Suite(.timeLimit(.minutes(10))) struct NotificationTests {
  /// Observes the notifications of some objects with a queue of its own, which blocks the posting thread.
  private final class Board: Sendable {
    struct Seen: Sendable {
      var name: String
      var object: ObjectIdentifier?
      var keys: Set<String>
      var isMain: Bool
    }

    /// Marks the main queue, because a program without a main run loop serves it from any thread.
    static let mark: DispatchSpecificKey<Bool> = {
      let key = DispatchSpecificKey<Bool>()
      DispatchQueue.main.setSpecific(key: key, value: true)
      return key
    }()
    let seen: Collected<Seen>
    // Safe because it is set once, before any other thread knows this object.
    private nonisolated(unsafe) let tokens: [any NSObjectProtocol]

    init() {
      let mark = Self.mark
      let seen = Collected<Seen>()
      self.seen = seen
      let names: [Notification.Name] = [
        .sessionTaskDidResume, .sessionTaskDidSuspend, .sessionTaskDidComplete, .sessionDidInvalidate,
        .downloadDidMoveFile, .downloadDidFailToMoveFile,
      ]
      tokens = names.map { name in
        NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [seen] note in
          seen.append(
            Seen(
              name: note.name.rawValue, object: note.object.map { ObjectIdentifier($0 as AnyObject) },
              keys: Set((note.userInfo ?? [:]).keys.compactMap { $0 as? String }),
              isMain: DispatchQueue.getSpecific(key: mark) == true))
        }
      }
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }

    func of(_ object: AnyObject) -> [Seen] { seen.all.filter { $0.object == ObjectIdentifier(object) } }
  }

  @Test(arguments: SessionTask.Kind.allCases)
  func `a task posts resume, suspend and complete once for each change, from the main queue`(
    _ kind: SessionTask.Kind
  ) async throws {
    let board = Board()
    let gate = ManualGate()
    let manager = try Fixture.manager(
      StubTransport { _ in
        try await gate.wait()
        return Fixture.json()
      })
    manager.postsNotifications = true
    try await Fixture.withDirectory { directory in
      let task: SessionTask =
        switch kind {
        case .data: manager.dataTask(with: Fixture.request, completion: nil)
        case .upload: manager.uploadTask(with: Request(.put, Fixture.url), from: Data("x".utf8), completion: nil)
        case .download: manager.downloadTask(with: Fixture.request, to: .file(directory + "/a"), completion: nil)
        }
      task.resume()
      task.resume()
      task.suspend()
      task.suspend()
      task.resume()
      gate.open()
      let prefix = "com.alamofire.networking.task."
      await Fixture.wait(while: board.of(task).last?.name != prefix + "complete")
      let seen = board.of(task).filter { $0.name.hasPrefix(prefix) }
      #expect(seen.map(\.name) == ["resume", "suspend", "resume", "complete"].map { prefix + $0 })
      #expect(seen.allSatisfy { $0.isMain })
      #expect(
        seen.last?.keys.isSuperset(of: [TaskReport.userInfoKey, TaskReport.valueKey, TaskReport.metricsKey]) == true)
    }
    manager.invalidate(cancelingTasks: true, resetSession: true)
    await Fixture.wait(while: board.of(manager).isEmpty)
    #expect(board.of(manager).map(\.name) == ["com.alamofire.networking.session.invalidate"])
  }

  @Test func `uploads post too, and a failure has its error`() async throws {
    let board = Board()
    let manager = try Fixture.manager(StubTransport(.text("no", status: .notFound)))
    manager.postsNotifications = true
    let task = manager.uploadTask(with: Request(.post, Fixture.url), from: Data("x".utf8), completion: nil)
    task.resume()
    await Fixture.wait(while: board.of(task).count < 2)
    #expect(board.of(task).last?.keys == [TaskReport.userInfoKey, TaskReport.errorKey, TaskReport.metricsKey])
  }

  @Test func `a download posts whether its file has its path`() async throws {
    let board = Board()
    try await Fixture.withDirectory { directory in
      let manager = try Fixture.manager(StubTransport(.bytes(Data(count: 1_000))))
      manager.postsNotifications = true
      // All tasks are kept, because the posts are found by the object's address.
      var tasks: [DownloadTask] = []
      // The second file is complete, and its directory is missing.
      let missing = DownloadTarget.chosen(partialIn: directory) { _ in directory + "/none/b" }
      for (expected, target) in [("succeed", DownloadTarget.file(directory + "/a")), ("error", missing)] {
        let task = manager.downloadTask(with: Fixture.request, to: target, completion: nil)
        tasks.append(task)
        task.resume()
        await Fixture.wait(while: board.of(task).count < 3)
        #expect(
          board.of(task).map(\.name) == [
            "com.alamofire.networking.task.resume",
            "com.alamofire.networking.session.download.file-manager-" + expected,
            "com.alamofire.networking.task.complete",
          ])
      }
    }
  }

  @Test func `a manager that posts none leaves the main queue alone`() async throws {
    let board = Board()
    let manager = try Fixture.manager(StubTransport(Fixture.json()))
    let task = manager.dataTask(with: Fixture.request, completion: nil)
    _ = await manager.ended { completion in
      task.onCompletion(on: CallbackExecutor { $0() }) { completion(nil, nil, $0) }
      return task
    }
    await Fixture.drain(.main)
    #expect(board.of(task).isEmpty)
  }
}
