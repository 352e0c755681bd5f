public import CurlewCore
import CurlewLoading

/// A data task whose body is the point: bytes, a file or a stream.
///
/// It is a sequence of the progress of its body, at most ten snapshots per second, and `value` is its result. Reading either of them
/// starts it:
///
/// ```swift
/// let upload = session.upload(.file(photo), to: "photos")
/// for try await progress in upload { print(progress.fraction ?? 0) }
/// let response = try await upload.value
/// ```
///
/// The progress reaches the whole body once, before the response is handed over, and this snapshot is the last. A body that can be
/// sent again (bytes, files and replayable streams) survives retries, redirects and challenges; for any other,
/// `SessionTaskHooks.newBody` is asked.
public final class UploadTask<Value: Sendable>: DataTask<Value>, AsyncSequence, @unchecked Sendable {
  // Safe because it adds no properties.

  /// A snapshot of the progress.
  public typealias Element = TransferProgress

  /// Starts the upload if it was never resumed, and reads its progress; throws its error.
  public func makeAsyncIterator() -> ProgressIterator { ProgressIterator(self, core.boards.uploadProgress) }
}
