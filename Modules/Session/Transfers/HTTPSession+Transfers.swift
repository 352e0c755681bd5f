public import CurlewCore
public import CurlewDownload
import CurlewLoading
import CurlewRequests
public import CurlewSerialization
public import FoundationEssentials
public import HTTPTypes

extension HTTPSession {
  /// Downloads into a file, resuming an earlier download if there is one.
  ///
  /// The file appears when it is complete. All downloads of a session share one thread for their files.
  ///
  /// ```swift
  /// for try await progress in session.download("atlas.zip", to: "atlas.zip") { print(progress.completed) }
  /// ```
  ///
  /// - Parameters:
  ///   - file: The path of the file, which must not exist unless `change` sets `file.collision`.
  ///   - change: Changes the configuration, such as verification and retries. By default the download resumes as long as bytes
  ///     arrive.
  public func download(
    _ path: String, to file: String, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), _ change: (inout DownloadConfiguration) throws -> Void = { _ in }
  ) -> SessionTransfer<DownloadResult> {
    download(
      path, to: .file(file), parameters: parameters, headerFields: headerFields, options: options, change)
  }

  /// Downloads into the file at a `file` URL, like the method with a path.
  public func download(
    _ path: String, to file: URL, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), _ change: (inout DownloadConfiguration) throws -> Void = { _ in }
  ) -> SessionTransfer<DownloadResult> {
    do {
      return download(
        path, to: try .file(file), parameters: parameters, headerFields: headerFields, options: options, change)
    } catch {
      return SessionTransfer(self, isUpload: false) { throw error }
    }
  }

  /// Downloads into a target, such as a file or a directory.
  ///
  /// In a directory the file gets the name that the response suggests; the app can also choose a location.
  ///
  /// - Parameter change: Changes the configuration, such as verification and retries.
  public func download(
    _ path: String, to target: DownloadTarget, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), _ change: (inout DownloadConfiguration) throws -> Void = { _ in }
  ) -> SessionTransfer<DownloadResult> {
    SessionTransfer(self, isUpload: false) {
      let request = try core.request(Call(.get, path, parameters, .none, headerFields, options))
      var plan = DownloadConfiguration(request, to: target)
      try change(&plan)
      return Downloader(try core.loader(), plan, on: core.disk)
    }
  }

  /// Uploads content and returns the value of a serializer.
  ///
  /// The progress is that of the content.
  ///
  /// ```swift
  /// let upload = session.upload(.file(photo), to: "photos")
  /// for try await progress in upload { print(progress.fraction ?? 0) }
  /// ```
  ///
  /// The session's retry policy applies if the content can be sent again: bytes, files, and forms of these.
  public func upload<Serializer: ResponseSerializer>(
    _ content: RequestContent, to path: String, method: HTTPRequest.Method = .post,
    _ serializer: Serializer = DataResponseSerializer(), parameters: Parameters? = nil,
    headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) -> SessionTransfer<Serializer.Output> {
    upload(Call(method, path, parameters, content, headerFields, options), serializer)
  }

  /// Uploads content and returns the decoded value.
  ///
  /// The progress is that of the content.
  public func upload<Value: Decodable & Sendable>(
    _ content: RequestContent, to path: String, method: HTTPRequest.Method = .post, as type: Value.Type,
    parameters: Parameters? = nil, headerFields: HTTPFields = [:], options: RequestOptions = RequestOptions()
  ) -> SessionTransfer<Value> {
    let call = Call(method, path, parameters, content, headerFields, options)
    do {
      let (call, serializer) = try decoding(type, call)
      return upload(call, serializer)
    } catch {
      return SessionTransfer(self, isUpload: true) { throw error }
    }
  }

  private func upload<Serializer: ResponseSerializer>(
    _ call: Call, _ serializer: Serializer
  ) -> SessionTransfer<Serializer.Output> {
    SessionTransfer(self, isUpload: true) {
      transfer(try core.request(call), serializer, try core.loader(), configuration.retry)
    }
  }
}
