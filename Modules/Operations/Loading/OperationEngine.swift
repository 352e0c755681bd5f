import CurlewCore
import CurlewLoading

/// Performs an operation after its start: a transfer, or a download.
protocol OperationEngine: AnyObject, Sendable {
  @discardableResult func start() -> Bool
  @discardableResult func pause() -> Bool
  @discardableResult func resume() -> Bool
  /// Cancels the work; the operation already has its outcome.
  func stop()
  /// Calls a closure once with the outcome, on any thread.
  func onEnd(_ tell: @escaping @Sendable (TransferOutcome<OperationResult>) -> Void)
  func halted() async
  func settled() async

  var request: Request? { get }
  var response: ResponseHead? { get }
  var attempts: [TransferAttempt] { get }
  var metrics: [ExchangeMetrics] { get }
  var received: TransferProgressSequence { get }
  /// The progress of the request's body; nil if there is none.
  var sent: TransferProgressSequence? { get }
}

extension Transfer: OperationEngine where Value == OperationResult {
  func stop() { cancel() }
  var received: TransferProgressSequence { downloadProgress }
  var sent: TransferProgressSequence? { uploadProgress }
}
