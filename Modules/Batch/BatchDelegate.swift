public import CurlewCore

/// An object that is told what happens in a batch; every method has an empty default.
///
/// The methods are called on the executor that `Batch.setDelegate` was given, one at a time, and the batch waits for each.
public protocol BatchDelegate: AnyObject, Sendable {
  /// This worker has begun to work on an item.
  func batch(_ batch: Batch, didBegin item: BatchItem)
  /// The batch has advanced; `items` are those in flight.
  func batch(_ batch: Batch, didProgress summary: BatchSummary, items: [BatchItemProgress])
  /// An item has its result.
  func batch(_ batch: Batch, didEnd outcome: BatchOutcome)
  /// Every item has its result, or the worker failed or was stopped. The last call, made once.
  func batch(_ batch: Batch, didCompleteWith result: Result<BatchSummary, any Error>)
}

extension BatchDelegate {
  /// Does nothing.
  public func batch(_ batch: Batch, didBegin item: BatchItem) {}
  /// Does nothing.
  public func batch(_ batch: Batch, didProgress summary: BatchSummary, items: [BatchItemProgress]) {}
  /// Does nothing.
  public func batch(_ batch: Batch, didEnd outcome: BatchOutcome) {}
  /// Does nothing.
  public func batch(_ batch: Batch, didCompleteWith result: Result<BatchSummary, any Error>) {}
}

extension Batch {
  /// Has a delegate told what happens, beside other observers. It is not held, and neither is the batch.
  public func setDelegate(_ delegate: any BatchDelegate, on executor: CallbackExecutor) {
    observe(on: executor) { [weak delegate, weak self] event in
      guard let delegate, let self else { return }
      switch event {
      case .began(let item): delegate.batch(self, didBegin: item)
      case .progressed(let summary, let items): delegate.batch(self, didProgress: summary, items: items)
      case .ended(let outcome): delegate.batch(self, didEnd: outcome)
      case .completed(let result): delegate.batch(self, didCompleteWith: result)
      }
    }
  }
}
