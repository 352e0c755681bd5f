import FoundationEssentials
import Glibc

extension Body.FileRegion {
  /// Measures a file without keeping it open.
  ///
  /// - Throws: `NetworkError` of kind `fileError`.
  init(_ url: URL, range: Range<Int64>?) throws(NetworkError) {
    guard url.isFileURL else {
      throw NetworkError(.fileError, stage: .preparing, message: "The URL of the body's file must be a file URL.")
    }
    let path = url.path(percentEncoded: false)
    // C would read such a path only up to the NUL, which names another file.
    guard !path.utf8.contains(0) else {
      throw NetworkError(.fileError, stage: .preparing, message: "The path of the body's file contains a NUL.")
    }
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw NetworkError(
        .fileError, stage: .preparing, message: "The body's file cannot be read.",
        underlying: FileSystemError(.current, operation: "stat", path: path))
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw NetworkError(.fileError, stage: .preparing, message: "The body's file is not a regular file.")
    }
    let size = Int64(status.st_size)
    let range = range ?? 0..<size
    guard range.lowerBound >= 0, range.upperBound <= size else {
      throw NetworkError(.fileError, stage: .preparing, message: "The body's range exceeds its file.")
    }
    self.init(
      path: path, offset: range.lowerBound, length: range.upperBound - range.lowerBound, fileLength: size)
  }
}
