import CurlewCore
import CurlewJSON
import CurlewLoading
import CurlewOperations
import CurlewSerialization
import Dispatch
import Foundation
import HTTPTypes
import Synchronization

/// Operations of one request in a queue of Foundation's.
struct RequestQueue {
  private struct Sums {
    var bytes: Int64 = 0
    var failure: (any Error)?
  }

  private let queue = OperationQueue()
  private let limit: Int

  /// - Parameter limit: The most bytes of a response.
  init(width: Int, limit: Int) {
    queue.maxConcurrentOperationCount = width
    self.limit = limit
  }

  /// Adds all operations at once and returns how many bytes came when each of them has called its block.
  func get(_ request: Request, over loader: Loader, count: Int, decodesJSON: Bool) async throws -> Int64 {
    let sums = Mutex(Sums())
    let group = DispatchGroup()
    let plain = DataResponseSerializer(validation: ResponseValidation(maximumBytes: limit))
    for _ in 0..<count {
      let operation =
        decodesJSON
        ? HTTPRequestOperation(request, over: loader, .jsonValue) : HTTPRequestOperation(request, over: loader, plain)
      group.enter()
      operation.setCompletionBlock(
        success: { operation, _ in
          let size = operation.responseData?.count ?? 0
          sums.withLock { $0.bytes += Int64(size) }
          group.leave()
        },
        failure: { _, error in
          sums.withLock { $0.failure = error }
          group.leave()
        })
      queue.addOperation(operation)
    }
    await withCheckedContinuation { done in group.notify(queue: .main) { done.resume() } }
    let sum = sums.withLock { $0 }
    if let failure = sum.failure { throw failure }
    return sum.bytes
  }
}
