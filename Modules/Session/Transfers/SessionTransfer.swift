public import CurlewCore
import CurlewDownload
public import CurlewLoading

/// A call with progress: an upload or a download.
///
/// It is a sequence of its progress, and `value` is what it ends with. Reading either of them starts it:
///
/// ```swift
/// let download = session.download("atlas.zip", to: "atlas.zip")
/// for try await progress in download { print(progress.fraction ?? 0) }
/// print(try await download.value.path)
/// ```
///
/// The sequence throws what the call fails with. When nobody holds the transfer any more, or the task that reads it is cancelled,
/// it is cancelled; a download keeps its bytes, and another one to the same file continues with them. It keeps the session, and
/// so its transport. Safe from any isolation.
public final class SessionTransfer<Value: Sendable>: AsyncSequence, Sendable {
  /// A snapshot of the progress, at most ten a second.
  public typealias Element = TransferProgress

  private let carrier: Result<any TransferCarrier<Value>, any Error>
  private let session: HTTPSession

  init(_ session: HTTPSession, _ make: () throws -> any TransferCarrier<Value>) {
    self.session = session
    carrier = Result { try make() }
  }

  deinit { cancel() }

  /// What it ends with; starts it where that has not happened, and waits.
  ///
  /// Cancelling the task cancels the transfer.
  ///
  /// - Throws: `NetworkError`; `CancellationError` when it was cancelled.
  public var value: Value {
    get async throws {
      do {
        return try await carrier.get().run()
      } catch {
        throw session.core.reported(error)
      }
    }
  }

  /// The progress now.
  public var progress: TransferProgress? { (try? carrier.get())?.sessionProgress.current }

  /// Starts it without waiting; false where it has been started, is paused or cannot be.
  @discardableResult
  public func start() -> Bool { (try? carrier.get())?.start() ?? false }

  /// Pauses it; a download lets its connection go. False where it cannot be paused.
  @discardableResult
  public func pause() -> Bool { (try? carrier.get())?.pause() ?? false }

  /// Continues after a pause; false where it was not paused.
  @discardableResult
  public func resume() -> Bool { (try? carrier.get())?.resume() ?? false }

  /// Ends it at once; a download keeps its bytes. False where it was over already.
  @discardableResult
  public func cancel() -> Bool { (try? carrier.get())?.stop() ?? false }

  /// Starts it and reads its progress.
  public func makeAsyncIterator() -> Iterator { Iterator(transfer: self) }

  /// Reads one snapshot after the other.
  public struct Iterator: AsyncIteratorProtocol {
    private let transfer: SessionTransfer<Value>
    private var snapshots: TransferProgressSequence.Iterator?
    private var isFinished = false

    init(transfer: SessionTransfer<Value>) { self.transfer = transfer }

    /// Returns the newest snapshot; nil when the transfer has its value.
    ///
    /// - Throws: What the transfer failed with.
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

/// What `SessionTransfer` needs of a transfer or a download.
protocol TransferCarrier<Value>: AnyObject, Sendable {
  associatedtype Value: Sendable
  /// The progress in the direction that matters.
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
