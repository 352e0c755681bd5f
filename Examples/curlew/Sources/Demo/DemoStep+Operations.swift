import CurlewCore
import CurlewLoading
import CurlewOperations
import CurlewSerialization
import CurlewTestSupport
import Foundation
import HTTPTypes

extension DemoStep {
  static let operations = DemoStep(
    title: "Operations in one of Foundation's queues.",
    explanation:
      "Five at most two at a time, as a batch: one is paused and resumed, one waits for it, one is cancelled before its turn."
  ) { stage in
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 2
    let reef = stage.operation("/reef.bin")
    let operations = [reef] + (1...4).map { stage.operation("/queue/\($0)") }
    let (dependent, cancelled) = (operations[1], operations[2])
    dependent.addDependency(reef)
    let (counts, count) = AsyncStream.makeStream(of: Int.self)
    let batch = try URLConnectionOperation.batchOfRequestOperations(
      operations, on: DispatchQueue(label: "demo"), progress: { finished, _ in count.yield(finished) },
      completion: { _ in count.finish() })
    cancelled.cancel()
    for operation in batch { queue.addOperation(operation) }
    while reef.downloadProgress.completed < DemoOrigin.partSize / 3 {
      try await SystemClock().sleep(until: .now + .milliseconds(5))
    }
    reef.pause()
    await reef.halted()
    let kept = reef.downloadProgress.completed
    try expect(dependent.operationState == .ready, "one that waits for the paused one is \(dependent.operationState)")
    reef.resume()
    var numbers: [Int] = []
    for await number in counts { numbers.append(number) }
    try expect(numbers == [1, 2, 3, 4, 5], "the batch counted \(numbers)")
    try expect(
      try DemoOrigin.digest(await reef.value(as: Data.self)) == DemoOrigin.digest(seed: 5, count: DemoOrigin.partSize),
      "the bytes differ")
    try expect(dependent.error == nil && cancelled.error is CancellationError, "the wrong one was cancelled")
    let paths = stage.origin.requests.map(\.path).filter { $0 == "/reef.bin" || $0.hasPrefix("/queue/") }
    let ordered = paths.filter { $0 == "/reef.bin" || $0 == "/queue/1" }
    try expect(
      !paths.contains("/queue/2") && ordered.firstIndex(of: "/queue/1") == ordered.count - 1, "the origin saw \(paths)")
    try stage.expectResumed("/reef.bin", at: kept)
    return
      "paused at \(DecimalText.bytes(kept)) and continued there; the dependent came after it, and the cancelled one never."
  }
}

extension DemoStage {
  /// An operation that keeps the body in memory.
  fileprivate func operation(_ path: String) -> HTTPRequestOperation {
    let validation = ResponseValidation(maximumBytes: Int(DemoOrigin.partSize))
    return HTTPRequestOperation(
      Request(.get, origin.url(path)), over: loader, DataResponseSerializer(validation: validation))
  }
}
