public import CurlewCore
public import CurlewDownload
public import CurlewSerialization
public import HTTPTypes

/// Download tasks, which end in a file.
extension HTTPSession {
  /// Creates a task that downloads the response of a request.
  ///
  /// ```swift
  /// let target = DownloadTarget.chosen(partialIn: "/srv/maps") { head in "/srv/maps/" + head.suggestedFileName }
  /// let task = session.downloadTask(try Request(.get, "https://example.com/atlas.zip"), to: target)
  /// ```
  ///
  /// - Parameters:
  ///   - target: The location of the file. `DownloadTarget.chosen` asks a function, once, after a response was accepted.
  ///   - hooks: What the app has to say about the task.
  ///   - change: Changes the configuration, such as verification, retries and the policy for existing files. By default the
  ///     download resumes as long as bytes arrive, and a suspended one releases its connection after ten seconds.
  public func downloadTask(
    _ request: Request, to target: DownloadTarget, hooks: SessionTaskHooks = SessionTaskHooks(),
    _ change: (inout DownloadConfiguration) throws -> Void = { _ in }
  ) -> DownloadTask {
    makeDownloadTask(to: target, hooks, change) { request }
  }

  /// Creates a task that downloads from a path, with the session's base URL and fields.
  public func downloadTask(
    _ path: String, to target: DownloadTarget, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), hooks: SessionTaskHooks = SessionTaskHooks(),
    _ change: (inout DownloadConfiguration) throws -> Void = { _ in }
  ) -> DownloadTask {
    makeDownloadTask(to: target, hooks, change) {
      try core.request(Call(.get, path, parameters, .none, headerFields, options))
    }
  }

  /// Creates a task that resumes an interrupted download.
  ///
  /// The caller names the target again, because resume data contain no path. If its directory has no bytes of the download, the
  /// download starts over.
  ///
  /// - Parameters:
  ///   - data: The resume data of the earlier task.
  ///   - request: Replaces the request of the resume data, for example with a fresh link or with the secrets that
  ///     `DownloadResumeData.omittedSecrets` lists; nil uses the request as it is.
  ///   - target: The target of the earlier task.
  public func downloadTask(
    resuming data: DownloadResumeData, with request: Request? = nil, to target: DownloadTarget,
    hooks: SessionTaskHooks = SessionTaskHooks(),
    _ change: (inout DownloadConfiguration) throws -> Void = { _ in }
  ) -> DownloadTask {
    let renew = { (configuration: inout DownloadConfiguration) in
      configuration.renewsLink = request != nil
      try change(&configuration)
    }
    return makeDownloadTask(to: target.identified(by: data.identifier), hooks, renew) { request ?? data.request }
  }
}
