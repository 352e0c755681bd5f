public import CurlewCore
public import CurlewLoading

/// A transfer into a file that ends up either complete and correct, or not at all.
///
/// It can be stopped at any instant, by the app, the network, `kill -9` or a power failure; another download to the same
/// target resumes with the stored bytes. It is a `Transfer` with a `PartialSink`, whose lock on the target is released before the
/// outcome is told.
///
/// ```swift
/// var configuration = DownloadConfiguration(
///   try Request(.get, "https://example.com/birds.iso"), to: .file("/srv/birds.iso"))
/// configuration.file.verification.expected = try ExpectedDigest("sha-256:9f86d081884c7d65…")
/// let download = Downloader(loader, configuration)
/// let drawing = Task { for await progress in download.downloadProgress { draw(progress) } }
/// let result = try await download.run()
/// print(result.path, "of which \(result.resumedFrom) bytes were there already")
/// ```
///
/// Its progress counts the bytes of the file, including those stored earlier. `resumption`, and the error of a failure, have a
/// `ResumeHandle` if bytes are kept. Cancelling keeps them.
public typealias Downloader = Transfer<DownloadResult>

extension Transfer where Value == DownloadResult {
  /// Creates a download that waits for `start` or `run`.
  ///
  /// - Parameter disk: The disk to write to; downloads that share it share its thread and its memory.
  public convenience init(
    _ loader: Loader, _ configuration: DownloadConfiguration, on disk: DownloadDisk = DownloadDisk()
  ) {
    self.init(loader, configuration.transfer(into: configuration.sink(on: disk)) { $0 })
  }

  /// Creates a download of one request into a file that must not exist yet.
  public convenience init(
    _ loader: Loader, _ request: Request, to target: DownloadTarget, on disk: DownloadDisk = DownloadDisk()
  ) {
    self.init(loader, DownloadConfiguration(request, to: target), on: disk)
  }

  /// Cancels the download in any state; returns false if it had ended.
  ///
  /// - Parameter keepsPartial: Whether the stored bytes are kept, so that another download to the same target can resume.
  @discardableResult
  public func cancel(keepingPartial keepsPartial: Bool) -> Bool {
    if !keepsPartial { partial?.dropPartial() }
    return cancel()
  }

  /// Removes the bytes of a download that ended without success.
  ///
  /// Bytes that another download has meanwhile resumed are kept. Bytes that an earlier process has left are removed, even if
  /// this download was never started, with one exception: for a directory without an identifier, only the request determines
  /// where the bytes are.
  public func discard() async { await discard(partial) }

  /// The current state of the file, which can be stored; another process finds the same.
  public var file: DownloadState { partial?.state ?? DownloadState() }

  /// The sink that stores the file.
  private var partial: PartialSink? { sink as? PartialSink }
}

extension Transfer {
  /// Removes the bytes of a sink after the end.
  package func discard(_ partial: PartialSink?) async {
    await settled()
    await partial?.discard()
    forgetResumption()
  }
}
