import CurlewCore
import CurlewLoading

/// What does an operation's work once it is started: a transfer, or a download on top of one.
protocol OperationEngine: AnyObject, Sendable {
  @discardableResult func start() -> Bool
  @discardableResult func pause() -> Bool
  @discardableResult func resume() -> Bool
  /// Cancels it; the operation has its outcome already.
  func stop()
  /// Tells the outcome once, on any thread.
  func onEnd(_ tell: @escaping @Sendable (TransferOutcome<OperationResult>) -> Void)
  func halted() async
  func settled() async

  var request: Request? { get }
  var response: ResponseHead? { get }
  var attempts: [TransferAttempt] { get }
  var metrics: [ExchangeMetrics] { get }
  var received: TransferProgressSequence { get }
  /// Nil where no body is sent.
  var sent: TransferProgressSequence? { get }
}

extension Transfer: OperationEngine where Value == OperationResult {
  func stop() { cancel() }
  func onEnd(_ tell: @escaping @Sendable (TransferOutcome<OperationResult>) -> Void) {
    onFinish(on: CallbackExecutor { $0() }, tell)
  }
  var received: TransferProgressSequence { downloadProgress }
  var sent: TransferProgressSequence? { uploadProgress }
}
