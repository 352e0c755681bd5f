import CurlewCore
import CurlewLoading
import CurlewOperations
import CurlewTestSupport
import Dispatch
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct OperationBatchTests {
  /// What a batch has told.
  private final class Told: Sendable {
    let numbers = Collected<[Int]>()
    let ends = Collected<[URLConnectionOperation]>()
    let blocks = Count()
    let queue = DispatchQueue(label: "batch", attributes: .concurrent)

    func batch(_ operations: [URLConnectionOperation]) throws(NetworkError) -> [Operation] {
      try URLConnectionOperation.batchOfRequestOperations(
        operations, on: queue, progress: { [numbers] in numbers.append([$0, $1]) },
        completion: { [ends] in ends.append($0) })
    }
  }

  private let told = Told()

  private func operations(
    _ count: Int, _ transport: StubTransport = StubTransport(.text("hello"))
  ) -> [HTTPRequestOperation] {
    (0..<count).map { _ in
      let operation = HTTPRequestOperation(Request(.get, Fixture.url), over: Loader(transport))
      operation.completionQueue = DispatchQueue(label: "operation")
      operation.completionBlock = { [told] in told.blocks.add() }
      return operation
    }
  }

  private func add(_ operations: [Operation], width: Int = 4) -> OperationQueue {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = width
    for operation in operations { queue.addOperation(operation) }
    return queue
  }

  @Test(arguments: 1...8) func `it counts each end once, in order, and completes after all blocks`(
    width: Int
  ) async throws {
    let operations = operations(50)
    let batch = try told.batch(operations)
    #expect(batch.count == 51 && batch.dropLast().elementsEqual(operations, by: ===))
    let queue = add(batch, width: width)
    await Fixture.wait(while: told.ends.all.isEmpty)
    #expect(told.numbers.all == (1...50).map { [$0, 50] })
    #expect(told.blocks.value == 50)
    #expect(told.ends.all.count == 1 && told.ends.all[0].elementsEqual(operations, by: ===))
    await Fixture.wait(while: queue.operationCount > 0)
    #expect(batch.last?.isFinished == true)
  }

  @Test func `failures and cancellations count, and a batch that is cancelled completes`() async throws {
    let gate = ManualGate()
    let operations = operations(30, Fixture.gated(gate))
    let queue = add(try told.batch(operations))
    try await gate.waitForArrivals(4)
    queue.cancelAllOperations()
    await Fixture.wait(while: told.ends.all.isEmpty)
    #expect(told.numbers.all == (1...30).map { [$0, 30] })
    #expect(told.ends.all[0].allSatisfy { $0.error is CancellationError })
    await Fixture.wait(while: queue.operationCount > 0)
  }

  @Test func `a batch of no operations completes, also when it is cancelled`() async throws {
    let batch = try told.batch([])
    #expect(batch.count == 1)
    #expect(told.ends.all.isEmpty)
    let queue = add(batch)
    await Fixture.wait(while: told.ends.all.isEmpty)
    #expect(told.ends.all.map(\.count) == [0] && told.numbers.all.isEmpty)
    let other = Told()
    let cancelled = try other.batch([])
    cancelled[0].cancel()
    await Fixture.wait(while: other.ends.all.isEmpty)
    #expect(other.ends.all.map(\.count) == [0])
    await Fixture.wait(while: queue.operationCount > 0)
  }

  @Test func `an operation is in one batch only, and a batch that is refused takes none`() async throws {
    let operations = operations(3)
    _ = try told.batch([operations[2]])
    let error = #expect(throws: NetworkError.self) { _ = try told.batch(operations) }
    #expect(error?.kind == .operationInAnotherBatch)
    let other = Told()
    let queue = add(try other.batch(Array(operations[..<2])))
    await Fixture.wait(while: other.ends.all.isEmpty)
    let twice = #expect(throws: NetworkError.self) { _ = try Told().batch([operations[0], operations[0]]) }
    #expect(twice?.kind == .operationInAnotherBatch)
    await Fixture.wait(while: queue.operationCount > 0)
  }

  @Test func `an operation that is over already counts`() async throws {
    let operations = operations(2)
    operations[0].start()
    _ = try await operations[0].value
    await Fixture.wait(while: told.blocks.value == 0)
    _ = try told.batch(operations)
    operations[1].start()
    await Fixture.wait(while: told.ends.all.isEmpty)
    #expect(told.numbers.all == [[1, 2], [2, 2]])
  }

  @Test func `the last operation is ready when all others have ended, and the blocks are released`() async throws {
    let gate = ManualGate()
    let operations = operations(2, Fixture.gated(gate))
    weak var seen: Told?
    let last: Operation
    do {
      let told = Told()
      seen = told
      last = try URLConnectionOperation.batchOfRequestOperations(
        operations, on: told.queue, progress: { _, _ in told.blocks.add() },
        completion: { _ in told.ends.append([]) })[2]
    }
    operations[0].cancel()
    operations[1].start()
    try await gate.waitForArrivals()
    #expect(!last.isReady && seen != nil)
    gate.open()
    await Fixture.wait(while: seen != nil)
    #expect(last.isReady)
  }

  @Test func `a batch that is never run is released`() async throws {
    weak var seen: HTTPRequestOperation?
    do {
      let operations = operations(2)
      seen = operations[0]
      _ = try told.batch(operations)
    }
    await Fixture.wait(while: seen != nil)
  }
}
