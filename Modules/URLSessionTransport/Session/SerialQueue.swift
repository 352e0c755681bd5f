import Dispatch
import Foundation

/// A serial queue with a thread of its own while it has work.
///
/// An operation queue as it comes shares a thread for each processor with every Swift task in the process. While those
/// compute, no callback would run, and Foundation would pile bytes up for them without limit.
// Safe because `OperationQueue` is, and what is added never changes.
final class SerialQueue: OperationQueue, @unchecked Sendable {
  // `underlyingQueue` does not keep it.
  private let queue: DispatchQueue

  init(_ name: String) {
    queue = DispatchQueue(label: "curlew.urlsession." + name)
    super.init()
    maxConcurrentOperationCount = 1
    underlyingQueue = queue
  }
}
