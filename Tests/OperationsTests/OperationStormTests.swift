import CurlewCore
import CurlewLoading
import CurlewOperations
import CurlewTestSupport
import Dispatch
import Foundation
import Glibc
import HTTPTypes
import Testing

/// Threads that call everything at random.
@Suite(.timeLimit(.minutes(10))) struct OperationStormTests {
  /// How long it storms; `Scripts/soak` sets a longer time.
  private static let seconds = getenv("CURLEW_STORM_SECONDS").flatMap { Double(String(cString: $0)) } ?? 0.4

  /// Stubs that take a few turns to answer, and sometimes lose the connection.
  private static let loader = Loader(
    StubTransport { asked in
      for _ in 0..<asked.index % 20 { await Task.yield() }
      if asked.index % 13 == 0 {
        throw NetworkError(.protocolViolation, stage: .awaitingHead, message: "Broken.")
      }
      return .bytes(Data(count: 5_000), chunkSize: 500, headerFields: [.eTag: "\"v1\""])
    })

  /// Eight threads call at random, until the time or all operations are over.
  ///
  /// - Parameter cancels: How many of a thousand calls are cancellations.
  private func storm(
    _ operations: [HTTPRequestOperation], round: Int, cancels: Int, until end: Date,
    orWhen areOver: @escaping @Sendable () -> Bool
  ) async {
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<8 {
        group.addTask {
          await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            Thread.detachNewThread {
              var random = SeededRandom(seed: UInt64(round * 8 + thread))
              while Date() < end, !areOver() {
                let operation = operations[Int.random(in: 0..<operations.count, using: &random)]
                switch Int.random(in: 0..<1_000, using: &random) {
                case 0..<cancels: operation.cancel()
                case ..<500: operation.pause()
                default: operation.resume()
                }
              }
              done.resume()
            }
          }
        }
      }
    }
  }

  /// In turns no cancellation, few, and so many that few operations are left for the other calls.
  @Test func `every completion runs once and every queue drains, whatever eight threads call`() async {
    let end = Date().addingTimeInterval(Self.seconds)
    var (round, cancelled, failed) = (0, 0, 0)
    repeat {
      let queues = [1, 2, 5, 64].map { width in
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = width
        return queue
      }
      let serial = DispatchQueue(label: "storm")
      let (blocks, completions) = (Collected<Int>(), Collected<Int>())
      let operations = (0..<1_000).map { number in
        let operation = HTTPRequestOperation(Request(.get, Fixture.url), over: Self.loader)
        operation.completionQueue = serial
        operation.setCompletionBlock(
          success: { _, _ in blocks.append(number) }, failure: { _, _ in blocks.append(number) })
        operation.completionBlock = { completions.append(number) }
        return operation
      }
      for (index, operation) in operations.enumerated() {
        if index % 9 == 4 { operation.addDependency(operations[index - 3]) }
        queues[index % queues.count].addOperation(operation)
      }
      let latest = min(end, Date().addingTimeInterval(2))
      await storm(operations, round: round, cancels: [0, 1, 25][round % 3], until: latest) {
        queues.allSatisfy { $0.operationCount == 0 }
      }
      await Fixture.wait(
        while: {
          for operation in operations where operation.isPaused { operation.resume() }
          return queues.contains { $0.operationCount > 0 } || completions.all.count < operations.count
        }())
      #expect(completions.all.sorted() == Array(0..<1_000))
      #expect(blocks.all.sorted() == Array(0..<1_000))
      #expect(operations.allSatisfy { $0.isFinished && $0.isCancelled == ($0.error is CancellationError) })
      round += 1
      cancelled += operations.count { $0.isCancelled }
      failed += operations.count { $0.error != nil && !$0.isCancelled }
    } while Date() < end
    print("figure: \(round) storms on 1000 operations each, \(cancelled) cancelled, \(failed) failed")
  }
}
