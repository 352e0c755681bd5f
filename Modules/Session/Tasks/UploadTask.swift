/// A data task whose body is the point: bytes, a file or a stream.
///
/// Its `uploadProgress` reaches the whole body once, before the response is handed over, and this snapshot is the last. A body
/// that can be sent again (bytes, files and replayable streams) survives retries, redirects and challenges; for any other,
/// `SessionTaskHooks.newBody` is asked.
///
/// ```swift
/// let task = session.uploadTask(.file(photo), to: "photos")
/// task.uploadProgress?.observe(on: .mainActor()) { progress in print(progress.fraction ?? 0) }
/// let response = try await task.run()
/// ```
public final class UploadTask<Value: Sendable>: DataTask<Value>, @unchecked Sendable {  // Safe because it is empty.
}
