import CurlewCore
import CurlewLoading
import CurlewSerialization
import CurlewSession
import CurlewTestSupport
import Foundation
import Glibc
import HTTPTypes
import Testing

@testable import CurlewSessionManagers

/// What hooks cost, as a ratio in one process.
@Suite(.timeLimit(.minutes(10))) struct HookCostTests {
  /// With 1,000 tasks; `CURLEW_TASKS=10000` takes that many. The best of three rounds counts.
  @Test(.enabled(if: getenv("CURLEW_SANITIZER") == nil, "A sanitizer's own work is measured with it."))
  func `tasks with all hooks cost at most four times the CPU of tasks with none`() async {
    await #expect(processExitsWith: .success) {
      let count = ProcessInfo.processInfo.environment["CURLEW_TASKS"].flatMap { Int($0) } ?? 1_000
      let stub = StubTransport(Fixture.json())
      func run(_ hooks: SessionHooks) async throws -> Double {
        let manager = try Fixture.manager(stub)
        manager.responseSerializer = .data
        manager.hooks = hooks
        let began = clock()
        for _ in 0..<count { _ = try await manager.dataTask(with: Fixture.request, completion: { _, _, _ in }).value }
        return Double(clock() - began)
      }
      let log = Collected<String>()
      var all = SessionHooks.logging(log, becoming: nil, destination: nil)
      all.taskDidComplete = { _, _, _ in }
      _ = try await run(SessionHooks())
      var (none, every) = (Double.infinity, Double.infinity)
      for _ in 0..<3 {
        none = min(none, try await run(SessionHooks()))
        every = min(every, try await run(all))
      }
      let figure = "\(count) tasks with all hooks cost \(every / none) times the CPU of tasks with none"
      FileHandle.standardError.write(Data("figure: \(figure)\n".utf8))
      #expect(every <= 4 * none, "\(figure)")
      #expect(log.all.count >= 3 * count)
    }
  }
}
