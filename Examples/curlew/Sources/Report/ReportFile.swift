import CurlewCore
import Glibc

/// The file that `--report` appends to, a line in one piece each.
final class ReportFile: Sendable {
  private let descriptor: Int32
  private let path: String

  /// - Throws: `FileSystemError`.
  init(_ path: String) throws(FileSystemError) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw FileSystemError(code: errno, operation: "open", path: path) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  func append(_ line: ReportLine) throws(FileSystemError) {
    var text = line.text + "\n"
    let (count, written) = text.withUTF8 { bytes in (bytes.count, write(descriptor, bytes.baseAddress, bytes.count)) }
    guard written == count else {
      throw FileSystemError(code: written < 0 ? errno : EIO, operation: "write", path: path)
    }
  }
}
