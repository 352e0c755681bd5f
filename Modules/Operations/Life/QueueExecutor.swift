public import CurlewCore
public import Dispatch
public import Foundation

extension CallbackExecutor {
  /// Runs work on a dispatch queue, in order if the queue is serial.
  public static func queue(_ queue: DispatchQueue) -> CallbackExecutor {
    CallbackExecutor { work in queue.async(execute: work) }
  }

  /// Runs work as operations of a queue, in order if its width is 1.
  public static func operations(_ queue: OperationQueue) -> CallbackExecutor {
    CallbackExecutor { work in queue.addOperation(work) }
  }
}
