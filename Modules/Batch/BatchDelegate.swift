public import CurlewCore

/// An object that receives the events of a batch.
///
/// Every method has an empty default.
///
/// The methods are called one at a time on the executor that was passed to `Batch.setDelegate`. The batch waits for each call.
public protocol BatchDelegate: AnyObject, Sendable {
  /// This worker has begun to work on an item.
  func batch(_ batch: Batch, didBegin item: BatchItem)
  /// Called at intervals with the progress; `items` are those in flight.
  func batch(_ batch: Batch, didProgress summary: BatchSummary, items: [BatchItemProgress])
  /// An item has its result.
  func batch(_ batch: Batch, didEnd outcome: BatchOutcome)
  /// Called once and last, when every item has its result or the worker has ended.
  ///
  /// The result is a failure if the worker was stopped or its store failed.
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
  /// Sets a delegate, which receives the events in addition to other observers.
  ///
  /// Neither the delegate nor the batch is kept alive by this.
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
