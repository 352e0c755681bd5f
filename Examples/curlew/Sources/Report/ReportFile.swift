import CurlewCore
import Glibc

/// The file that `--report` appends to, a line in one piece each.
final class ReportFile: Sendable {
  private let descriptor: Int32
  private let path: String

  init(_ path: String) throws(ToolFailure) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Self.failure(errno, path) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  func append(_ line: ReportLine) throws(ToolFailure) {
    var text = line.text + "\n"
    let (count, written) = text.withUTF8 { bytes in (bytes.count, write(descriptor, bytes.baseAddress, bytes.count)) }
    guard written == count else {
      throw Self.failure(written < 0 ? errno : EIO, path)
    }
  }

  private static func failure(_ code: Int32, _ path: String) -> ToolFailure {
    ToolFailure(
      "The report cannot be written", path, FileSystemError(code: code, operation: "write", path: path),
      advice: "give --report a file that can be written")
  }
}
