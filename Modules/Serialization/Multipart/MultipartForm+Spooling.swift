public import CurlewCore
public import FoundationEssentials
import Glibc

extension MultipartForm {
  /// Writes the body into a file at a path and returns that as a body; see `spooled(to:fileSystem:)` with a URL.
  @discardableResult
  public func spooled(to path: String, fileSystem: any FileSystem = LocalFileSystem()) async throws -> Body {
    try await spooled(to: URL(filePath: path, directoryHint: .notDirectory), fileSystem: fileSystem)
  }

  /// Writes the body into a file and returns that as a body.
  ///
  /// Use it when the length must be known, or when one-shot streams must be sent twice.
  ///
  /// An existing file is replaced in one step when the body is complete, so it may be one of the form's own parts; it keeps its
  /// permissions, and a symbolic link to it stays. A new file can be read by its owner only. After an error the path is as it was.
  /// The throttle does not apply.
  ///
  /// - Parameter url: A `file` URL.
  /// - Returns: The file as a body, which can be sent again.
  /// - Throws: `NetworkError` of kind `fileError`, for example when the disk is full, or `bodyLengthMismatch`; the
  ///   error of a stream; `CancellationError`.
  @discardableResult
  public func spooled(to url: URL, fileSystem: any FileSystem = LocalFileSystem()) async throws -> Body {
    guard url.isFileURL else {
      throw NetworkError(
        .fileError, stage: .preparing,
        message: "\(Redaction.name(of: url)) is not a file URL; make one with URL(filePath:), or give a path.")
    }
    var form = self
    form.throttle = nil
    var length: Int64 = 0
    var temporary: String?
    do {
      let (path, old) = try Self.target(url.path(percentEncoded: false), in: fileSystem)
      let name = Self.temporaryName(beside: path)
      let file = try fileSystem.open(name, [.write, .create, .exclusive, .noFollow])
      temporary = name
      let chunks = MultipartChunks(form, clock: .system, fileSystem: fileSystem)
      while let chunk = try await chunks.next() {
        try Task.checkCancellation()
        // Safe because the bytes are only read during the call.
        try chunk.withUnsafeBytes { try file.write($0, at: length) }
        length += Int64(chunk.count)
      }
      if let old { try file.setPermissions(old.permissions) }
      try file.close()
      try fileSystem.rename(name, to: path)
    } catch {
      if let temporary { try? fileSystem.remove(temporary) }
      guard let error = error as? FileSystemError else { throw error }
      throw NetworkError(
        .fileError, stage: .preparing,
        message: "The form cannot be written to \(url.path(percentEncoded: false)): \(error.reasonAndRemedy).",
        underlying: error)
    }
    return try Body.file(url)
  }

  /// Returns the path of the file to replace, behind a symbolic link, and its status; nil if there is none.
  private static func target(
    _ path: String, in files: any FileSystem
  ) throws(FileSystemError) -> (String, FileStatus?) {
    guard let old = try files.status(path) else { return (path, nil) }
    guard old.kind == .regular else {
      throw FileSystemError(code: old.kind == .directory ? EISDIR : EINVAL, operation: "open", path: path)
    }
    return (try files.resolved(path), old)
  }

  private static func temporaryName(beside path: String) -> String {
    let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
    return path[..<start] + ".curlew-\(String(UInt64.random(in: .min ... .max), radix: 16)).tmp"
  }
}
