import CurlewCore
import CurlewLoading
import CurlewOperations
import CurlewTestSupport
import Dispatch
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(2))) struct ExecutorTests {
  private func order(_ executor: CallbackExecutor) async -> [Int] {
    let numbers = Collected<Int>()
    for number in 0..<100 { executor.run { numbers.append(number) } }
    await Fixture.wait(while: numbers.all.count < 100)
    return numbers.all
  }

  @Test func `dispatch queues and operation queues keep the order of callbacks`() async {
    #expect(await order(.queue(DispatchQueue(label: "serial"))) == Array(0..<100))
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    #expect(await order(.operations(queue)) == Array(0..<100))
  }
}
