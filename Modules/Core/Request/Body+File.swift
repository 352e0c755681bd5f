import FoundationEssentials
import Glibc

extension Body.FileRegion {
  /// Measures a file without keeping it open.
  ///
  /// - Throws: `NetworkError` of kind `fileError`.
  init(_ url: URL, range: Range<Int64>?) throws(NetworkError) {
    guard url.isFileURL else {
      throw NetworkError(
        .fileError, stage: .preparing,
        message: "\(Redaction.name(of: url)) is not a file URL; make one with URL(filePath:), or give a path.")
    }
    let path = url.path(percentEncoded: false)
    // C would read such a path only up to the NUL, which names another file.
    guard !path.utf8.contains(0) else {
      throw NetworkError(.fileError, stage: .preparing, message: "The path of the body's file contains a NUL.")
    }
    var status = stat()
    guard stat(path, &status) == 0 else {
      let cause = FileSystemError(.current, operation: "stat", path: path)
      throw NetworkError(
        .fileError, stage: .preparing, message: "The file \(path) cannot be sent: \(cause.reasonAndRemedy).",
        underlying: cause)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw NetworkError(.fileError, stage: .preparing, message: "\(path) cannot be sent: it is not a regular file.")
    }
    let size = Int64(status.st_size)
    let range = range ?? 0..<size
    guard range.lowerBound >= 0, range.upperBound <= size else {
      throw NetworkError(
        .fileError, stage: .preparing,
        message: "The range \(range.lowerBound)..<\(range.upperBound) is not within \(path), which has \(size) bytes.")
    }
    self.init(
      path: path, offset: range.lowerBound, length: range.upperBound - range.lowerBound, fileLength: size)
  }
}
