import CurlewCore
import CurlewTestSupport
import Dispatch
import Foundation
import Testing

@testable import CurlewOperations

/// The notifications of operations.
@Suite(.timeLimit(.minutes(10))) struct OperationNotificationTests {
  private struct Post: Equatable {
    var name: Notification.Name
    var isOnMainQueue: Bool
  }

  private static let mark: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Runs work and returns what an operation posts until then.
  private func posts(of operation: URLConnectionOperation, _ work: () async throws -> Void) async rethrows -> [Post] {
    let posts = Collected<Post>()
    let names: [Notification.Name] = [
      .operationDidStart, .operationDidPause, .operationDidResume, .operationDidFinish,
    ]
    let tokens = names.map { name in
      NotificationCenter.default.addObserver(forName: name, object: operation, queue: nil) { notification in
        posts.append(
          Post(name: notification.name, isOnMainQueue: DispatchQueue.getSpecific(key: Self.mark) == true))
      }
    }
    try await work()
    await waitForEarlierPosts()
    for token in tokens { NotificationCenter.default.removeObserver(token) }
    return posts.all
  }

  /// Waits until all notifications so far were posted; they are posted in order.
  private func waitForEarlierPosts() async {
    let (last, posts) = (Fixture.operation(StubTransport(.text(""))), Count())
    let token = NotificationCenter.default.addObserver(forName: .operationDidFinish, object: last, queue: nil) { _ in
      posts.add()
    }
    last.start()
    await Fixture.wait(while: posts.value == 0)
    NotificationCenter.default.removeObserver(token)
  }

  @Test func `an operation posts each step of its life once, in order and from the main queue`() async throws {
    let gate = ManualGate()
    let operation = Fixture.operation(Fixture.gated(gate))
    let posts = try await posts(of: operation) {
      operation.start()
      try await gate.waitForArrivals()
      operation.pause()
      operation.pause()
      operation.resume()
      gate.open()
      _ = try await operation.value
      operation.cancel()
    }
    #expect(
      posts.map(\.name) == [.operationDidStart, .operationDidPause, .operationDidResume, .operationDidFinish])
    #expect(posts.allSatisfy { $0.isOnMainQueue })
  }

  @Test func `an operation that never starts posts nothing`() async {
    let operation = Fixture.operation(StubTransport(.text("hello")))
    let posts = await posts(of: operation) {
      operation.pause()
      operation.resume()
      operation.cancel()
      await operation.settled()
    }
    #expect(posts.isEmpty)
  }

  @Test func `an operation that is told to posts nothing`() async throws {
    let operation = Fixture.operation(StubTransport(.text("hello")))
    operation.postsNotifications = false
    let posts = try await posts(of: operation) {
      operation.start()
      _ = try await operation.value
    }
    #expect(posts.isEmpty && !operation.copied().postsNotifications)
  }
}
