public import CurlewCore
import CurlewDownload
import CurlewLoading

/// An upload or a download with progress.
///
/// It is a sequence of its progress, and `value` is its result. Reading either of them starts the transfer:
///
/// ```swift
/// let download = session.download("atlas.zip", to: "atlas.zip")
/// for try await progress in download { print(progress.fraction ?? 0) }
/// print(try await download.value.path)
/// ```
///
/// The sequence throws the error of the transfer. The transfer is cancelled when its last reference is released, or when the
/// task that reads it is cancelled; a download then keeps its bytes, and another one to the same file resumes with them. A
/// transfer retains its session and thereby the transport. Safe from any isolation.
public final class SessionTransfer<Value: Sendable>: AsyncSequence, Sendable {
  /// A snapshot of the progress, at most ten per second.
  public typealias Element = TransferProgress

  private let transfer: Result<Transfer<Value>, any Error>
  /// Whether the progress is that of the request's content.
  private let isUpload: Bool
  private let session: HTTPSession

  init(_ session: HTTPSession, isUpload: Bool, _ make: () throws -> Transfer<Value>) {
    self.session = session
    self.isUpload = isUpload
    transfer = Result { try make() }
  }

  private var snapshots: TransferProgressSequence? {
    let transfer = try? transfer.get()
    return isUpload ? transfer?.uploadProgress : transfer?.downloadProgress
  }

  deinit { cancel() }

  /// The result of the transfer; starts it if necessary and waits.
  ///
  /// Cancelling the task cancels the transfer.
  ///
  /// - Throws: `NetworkError`; `CancellationError` when the transfer was cancelled.
  public var value: Value {
    get async throws {
      do {
        return try await transfer.get().run()
      } catch {
        throw session.core.reported(error)
      }
    }
  }

  /// The current progress; nil if the transfer could not be created.
  public var progress: TransferProgress? { snapshots?.current }

  /// Starts the transfer without waiting for it.
  ///
  /// - Returns: False if it was started before, is paused, or could not be created.
  @discardableResult
  public func start() -> Bool { (try? transfer.get())?.start() ?? false }

  /// Pauses the transfer; a download releases its connection.
  ///
  /// - Returns: False if it cannot be paused.
  @discardableResult
  public func pause() -> Bool { (try? transfer.get())?.pause() ?? false }

  /// Resumes the transfer after a pause.
  ///
  /// - Returns: False if it was not paused.
  @discardableResult
  public func resume() -> Bool { (try? transfer.get())?.resume() ?? false }

  /// Cancels the transfer; a download keeps its bytes.
  ///
  /// - Returns: False if it had already ended.
  @discardableResult
  public func cancel() -> Bool { (try? transfer.get())?.cancel() ?? false }

  /// Starts the transfer and reads its progress.
  public func makeAsyncIterator() -> Iterator { Iterator(transfer: self) }

  /// Iterates over the snapshots.
  public struct Iterator: AsyncIteratorProtocol {
    private let transfer: SessionTransfer<Value>
    private var snapshots: TransferProgressSequence.Iterator?
    private var isFinished = false

    init(transfer: SessionTransfer<Value>) { self.transfer = transfer }

    /// Returns the newest snapshot; nil when the transfer has its value.
    ///
    /// - Throws: The error of the transfer.
    public mutating func next() async throws -> TransferProgress? {
      guard !isFinished else { return nil }
      if snapshots == nil {
        transfer.start()
        snapshots = transfer.snapshots?.makeAsyncIterator()
      }
      if let progress = await snapshots?.next() { return progress }
      isFinished = true
      _ = try await transfer.value
      return nil
    }
  }
}
