public import CurlewCore
public import FoundationEssentials

extension MultipartForm {
  /// Writes the body into a file and returns that as a body.
  ///
  /// Use it when the length must be known, or when one-shot streams must be sent twice.
  ///
  /// An existing file is replaced. The throttle does not apply. After an error there is no file at the path.
  ///
  /// - Parameter url: A `file` URL.
  /// - Returns: The file as a body, which can be sent again.
  /// - Throws: `NetworkError` of kind `fileError`, for example when the disk is full, or `bodyLengthMismatch`; the
  ///   error of a stream; `CancellationError`.
  @discardableResult
  public func spooled(to url: URL, fileSystem: any FileSystem = LocalFileSystem()) async throws -> Body {
    guard url.isFileURL else {
      throw NetworkError(.fileError, stage: .preparing, message: "A form can only be written to a file URL.")
    }
    let path = url.path(percentEncoded: false)
    var form = self
    form.throttle = nil
    var length: Int64 = 0
    do {
      let file = try fileSystem.open(path, [.write, .create, .truncate])
      let chunks = MultipartChunks(form, clock: .system, fileSystem: fileSystem)
      while let chunk = try await chunks.next() {
        try Task.checkCancellation()
        // Safe because the bytes are only read during the call.
        try chunk.withUnsafeBytes { try file.write($0, at: length) }
        length += Int64(chunk.count)
      }
      try file.close()
    } catch {
      try? fileSystem.remove(path)
      guard let error = error as? FileSystemError else { throw error }
      throw NetworkError(
        .fileError, stage: .preparing, message: "The form cannot be written to the file.", underlying: error)
    }
    return try Body.file(url)
  }
}
