public import CurlewCore
public import CurlewDownload
public import CurlewSerialization
public import FoundationEssentials
public import HTTPTypes

/// Downloads, which end in a file.
extension HTTPSession {
  /// Downloads into a file, resuming an earlier download if there is one.
  ///
  /// The file appears when it is complete. All downloads of a session share one thread for their files. The download starts when its
  /// progress or its value is read, or with `resume`.
  ///
  /// ```swift
  /// for try await progress in session.download("atlas.zip", to: "atlas.zip") { print(progress.completed) }
  /// ```
  ///
  /// - Parameters:
  ///   - file: The path of the file, which must not exist unless `change` sets `file.collision`.
  ///   - change: Changes the configuration, such as verification, retries and the policy for existing files. By default the
  ///     download resumes as long as bytes arrive, and a suspended one releases its connection after ten seconds.
  public func download(
    _ path: String, to file: String, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), _ change: (inout DownloadConfiguration) throws -> Void = { _ in }
  ) -> DownloadTask {
    download(path, to: .file(file), parameters: parameters, headerFields: headerFields, options: options, change)
  }

  /// Downloads into the file at a `file` URL, like the method with a path.
  public func download(
    _ path: String, to file: URL, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), _ change: (inout DownloadConfiguration) throws -> Void = { _ in }
  ) -> DownloadTask {
    do {
      return download(
        path, to: try .file(file), parameters: parameters, headerFields: headerFields, options: options, change)
    } catch {
      return makeDownloadTask(to: .file(file.path), SessionTaskHooks(), change) { throw error }
    }
  }

  /// Downloads into a target, such as a file or a directory.
  ///
  /// In a directory the file gets the name that the response suggests; the app can also choose a location.
  ///
  /// - Parameters:
  ///   - hooks: What the app has to say about the task.
  ///   - change: Changes the configuration, such as verification and retries.
  public func download(
    _ path: String, to target: DownloadTarget, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), hooks: SessionTaskHooks = SessionTaskHooks(),
    _ change: (inout DownloadConfiguration) throws -> Void = { _ in }
  ) -> DownloadTask {
    makeDownloadTask(to: target, hooks, change) {
      try core.request(Call(.get, path, parameters, .none, headerFields, options))
    }
  }

  /// Downloads the response of a request into a target.
  ///
  /// ```swift
  /// let target = DownloadTarget.chosen(partialIn: "/srv/maps") { head in "/srv/maps/" + head.suggestedFileName }
  /// let download = session.download(try Request(.get, "https://example.com/atlas.zip"), to: target)
  /// ```
  ///
  /// - Parameters:
  ///   - target: The location of the file. `DownloadTarget.chosen` asks a function, once, after a response was accepted.
  ///   - hooks: What the app has to say about the task.
  ///   - change: Changes the configuration, such as verification and retries.
  public func download(
    _ request: Request, to target: DownloadTarget, hooks: SessionTaskHooks = SessionTaskHooks(),
    _ change: (inout DownloadConfiguration) throws -> Void = { _ in }
  ) -> DownloadTask {
    makeDownloadTask(to: target, hooks, change) { request }
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
  public func download(
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
