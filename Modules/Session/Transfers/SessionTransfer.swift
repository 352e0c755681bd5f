public import CurlewCore
import CurlewDownload
public import CurlewLoading

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

  private let carrier: Result<any TransferCarrier<Value>, any Error>
  private let session: HTTPSession

  init(_ session: HTTPSession, _ make: () throws -> any TransferCarrier<Value>) {
    self.session = session
    carrier = Result { try make() }
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
        return try await carrier.get().run()
      } catch {
        throw session.core.reported(error)
      }
    }
  }

  /// The current progress; nil if the transfer could not be created.
  public var progress: TransferProgress? { (try? carrier.get())?.sessionProgress.current }

  /// Starts the transfer without waiting for it.
  ///
  /// - Returns: False if it was started before, is paused, or could not be created.
  @discardableResult
  public func start() -> Bool { (try? carrier.get())?.start() ?? false }

  /// Pauses the transfer; a download releases its connection.
  ///
  /// - Returns: False if it cannot be paused.
  @discardableResult
  public func pause() -> Bool { (try? carrier.get())?.pause() ?? false }

  /// Resumes the transfer after a pause.
  ///
  /// - Returns: False if it was not paused.
  @discardableResult
  public func resume() -> Bool { (try? carrier.get())?.resume() ?? false }

  /// Cancels the transfer; a download keeps its bytes.
  ///
  /// - Returns: False if it had already ended.
  @discardableResult
  public func cancel() -> Bool { (try? carrier.get())?.stop() ?? false }

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
        snapshots = (try? transfer.carrier.get())?.sessionProgress.makeAsyncIterator()
      }
      if let progress = await snapshots?.next() { return progress }
      isFinished = true
      _ = try await transfer.value
      return nil
    }
  }
}

/// The interface of `SessionTransfer` to a transfer or a download.
protocol TransferCarrier<Value>: AnyObject, Sendable {
  associatedtype Value: Sendable
  /// The progress of the direction with the content.
  var sessionProgress: TransferProgressSequence { get }
  func start() -> Bool
  func pause() -> Bool
  func resume() -> Bool
  func stop() -> Bool
  func run() async throws -> Value
}

extension Transfer: TransferCarrier {
  var sessionProgress: TransferProgressSequence { uploadProgress }
  func stop() -> Bool { cancel() }
}

extension Downloader: TransferCarrier {
  var sessionProgress: TransferProgressSequence { progress }
  func stop() -> Bool { cancel() }
}
