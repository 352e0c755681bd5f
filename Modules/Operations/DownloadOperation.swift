public import CurlewCore
public import CurlewDownload
public import CurlewLoading
import Foundation

/// A download into a file as an `Operation`.
///
/// It makes `Downloader` available to queues: the file is complete and correct, or does not exist. The bytes of a download
/// that is paused, cancelled or killed are kept, and another download to the same target resumes with them.
///
/// ```swift
/// let queue = OperationQueue()
/// queue.maxConcurrentOperationCount = 1
/// let download = DownloadOperation(request, to: .directory("/srv/documents"), over: loader, on: disk)
/// download.setCompletionBlock(
///   success: { operation, file in print("stored", file.path) }, failure: { operation, error in print("failed:", error) })
/// queue.addOperation(download)
/// ```
///
/// The file is moved once, before the success block is called. A pause releases the connection; after `resume` the download
/// requests the rest. Downloads that share a `DownloadDisk` share its thread and its memory.
///
/// The body goes from the transport to the disk, so `didReceive(_: Data)` is not called in subclasses. `responseData` is nil,
/// and `value` is a `DownloadResult`.
// Safe because its one property is guarded, as is the state of its superclass.
open class DownloadOperation: URLConnectionOperation, @unchecked Sendable {
  private struct Parts: Sendable {
    var configuration: DownloadConfiguration
    var disk: DownloadDisk
    var keepsPartial = true
  }

  private let parts: Guarded<Parts>

  /// Creates a download that waits for its queue, or for `start`.
  ///
  /// - Parameters:
  ///   - target: The location of the file. If a file exists there, the download fails unless `configuration` says otherwise.
  ///   - disk: The disk to write to.
  public init(_ request: Request, to target: DownloadTarget, over loader: Loader, on disk: DownloadDisk) {
    parts = Guarded(Parts(configuration: DownloadConfiguration(request, to: target), disk: disk))
    super.init(request, over: loader)
  }

  /// How the file is kept, verified and retried.
  ///
  /// It is read when the operation starts. Its `settings` replace the loader's, and the blocks, the credential and the policy of
  /// the operation are added to them.
  public var configuration: DownloadConfiguration {
    get { parts.withLock { $0.configuration } }
    set { parts.withLock { $0.configuration = newValue } }
  }

  /// The downloaded file; nil before the end and after a failure.
  public var file: DownloadResult? {
    guard case .success(let result) = state.withLock({ $0.outcome }) else { return nil }
    return result.value as? DownloadResult
  }

  /// Cancels the operation and removes its bytes.
  ///
  /// Bytes that another download has meanwhile resumed are kept.
  public func cancelAndDiscard() async {
    cancel()
    await settled()
    await transfer?.discard(transfer?.sink as? PartialSink)
  }

  /// Sets the completion blocks, of which exactly one is called.
  ///
  /// It is called on `completionQueue`, before `completionBlock`.
  public func setCompletionBlock(
    success: (@Sendable (DownloadOperation, DownloadResult) -> Void)?,
    failure: (@Sendable (DownloadOperation, any Error) -> Void)?
  ) {
    change { setup in
      setup.success = { operation, value in
        guard let operation = operation as? DownloadOperation, let file = value as? DownloadResult else { return }
        success?(operation, file)
      }
      setup.failure = { operation, error in
        if let operation = operation as? DownloadOperation { failure?(operation, error) }
      }
    }
  }

  /// Returns a new download of the same request to the same target.
  open override func copied() -> DownloadOperation {
    let parts = parts.withLock { $0 }
    let copy = DownloadOperation(request, to: parts.configuration.target, over: loader, on: parts.disk)
    copy.configuration = parts.configuration
    copySettings(to: copy)
    return copy
  }

  override class var hasOwnSteps: Bool { self != DownloadOperation.self }

  override var ownSettings: ExchangeSettings? { parts.withLock { $0.configuration.settings } }

  override func makeTransfer(_ link: OperationLink, _ settings: ExchangeSettings?) throws -> Transfer<OperationResult> {
    let parts = parts.withLock { $0 }
    var configuration = parts.configuration
    if let settings { configuration.settings = settings }
    if Self.hasOwnSteps {
      let (steps, validate) = (steps, configuration.validate)
      configuration.validate = { head, request in
        try await steps.ask(link) { operation in
          steps.respond()
          operation.didReceive(head)
        }
        try await validate?(head, request)
      }
    }
    return Transfer(
      loader,
      configuration.transfer(into: configuration.sink(on: parts.disk)) { file in
        OperationResult(head: file.head, content: .file(path: file.path), value: file)
      })
  }
}
