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

extension CallbackExecutor {
  /// Runs work in the main run loop, in order, while the loop runs in one of some modes.
  ///
  /// ```swift
  /// operation.callbackExecutor = .mainRunLoop(in: [.common])
  ///
  /// // Called by the main thread.
  /// func runMainLoop() {
  ///   while RunLoop.main.run(mode: .default, before: .distantFuture) {}
  /// }
  /// ```
  ///
  /// A loop that sleeps is woken in the common modes; in any other one it finds the work when something else wakes it. Work for
  /// a mode in which the loop never runs never runs, and a program without a main run loop (`dispatchMain`, an asynchronous
  /// `main`) is in none.
  public static func mainRunLoop(in modes: Set<RunLoop.Mode>) -> CallbackExecutor {
    // Foundation on Linux does not wake the loop for what it is to perform; the main queue does.
    runLoop(in: modes, { .main }, wake: { DispatchQueue.main.async {} })
  }

  /// Runs work in a run loop.
  static func runLoop(
    in modes: Set<RunLoop.Mode>, _ loop: @escaping @Sendable () -> RunLoop, wake: @escaping @Sendable () -> Void
  ) -> CallbackExecutor {
    let modes = Array(modes)
    return CallbackExecutor { work in
      loop().perform(inModes: modes, block: work)
      wake()
    }
  }
}
