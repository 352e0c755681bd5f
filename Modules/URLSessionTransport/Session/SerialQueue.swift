import Dispatch
import Foundation

/// A serial queue that has a thread of its own while it has work.
///
/// By default an operation queue shares one thread per processor with all Swift tasks of the process. While those compute, no
/// callback would run, and Foundation would buffer bytes for them without limit.
// Safe because `OperationQueue` is, and the added property never changes.
final class SerialQueue: OperationQueue, @unchecked Sendable {
  // Retained here because `underlyingQueue` does not retain it.
  private let queue: DispatchQueue

  init(_ name: String) {
    queue = DispatchQueue(label: "curlew.urlsession." + name)
    super.init()
    maxConcurrentOperationCount = 1
    underlyingQueue = queue
  }
}
