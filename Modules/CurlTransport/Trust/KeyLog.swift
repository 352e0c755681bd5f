import CurlewCore
import Glibc

/// Appends the secrets of TLS connections to a file, in NSS's format, which Wireshark reads.
///
/// Each line is written with one call, so that several programs can share a file. The file is readable by its owner only if it is new.
final class KeyLog: Sendable {
  private let descriptor: Int32

  /// Opens the file, or creates it.
  ///
  /// - Throws: `NetworkError` of kind `fileError`.
  init(_ path: String) throws(NetworkError) {
    // A pipe that nobody reads must stop neither this nor the transport's thread. C would end the path at a NUL.
    let isText = !path.utf8.contains(0)
    descriptor = isText ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o600) : -1
    guard descriptor >= 0 else {
      let cause = FileSystemError(code: isText ? errno : EINVAL, operation: "open", path: path)
      throw NetworkError(
        .fileError, stage: .preparing, message: "The key log \(path) cannot be opened: \(cause.reason).",
        underlying: cause)
    }
  }

  deinit { close(descriptor) }

  /// Appends a line; a disk that is full must not end the connection.
  func append(_ line: UnsafePointer<CChar>) {
    let text = String(cString: line) + "\n"
    _ = Array(text.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  }
}
