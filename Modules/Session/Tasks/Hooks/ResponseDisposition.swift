public import CurlewDownload

/// What happens with the response of a data task.
public enum ResponseDisposition: Sendable {
  /// The response is validated, and its body is collected.
  case allow
  /// The task is cancelled.
  case cancel
  /// The body becomes a file, and a download task continues in place of the data task.
  ///
  /// The response must be successful, so that the body of an error never becomes a file.
  case becomeDownload(DownloadTarget, PartialSink.Options = PartialSink.Options())
}
