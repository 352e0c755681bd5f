public import FoundationEssentials
import Glibc

extension FileSystemError: CustomStringConvertible {
  /// Where an error number comes from.
  enum Source { case current }

  /// Creates an error from `errno`.
  init(_ source: Source, operation: String, path: String) {
    self.init(code: errno, operation: operation, path: path)
  }

  /// Whether the disk or the quota is full.
  public var isDiskFull: Bool { code == ENOSPC || code == EDQUOT }

  /// The system's description, such as "No such file or directory".
  public var reason: String { String(cString: strerror(code)) }

  /// The system's description, and what to do about it if that is known, for the end of a sentence.
  package var reasonAndRemedy: String {
    switch code {
    case ENOSPC, EDQUOT: "\(reason); free some space, or choose a place on another disk"
    case ENOENT: "\(reason); check the path, and that its directory exists"
    case EACCES, EPERM: "\(reason); check who may use the file and its directory"
    case EROFS: "\(reason); choose a place that can be written"
    case EISDIR: "\(reason); give the path of a file"
    case EMFILE, ENFILE: "\(reason); raise the limit (ulimit -n), or use fewer files at once"
    default: reason
    }
  }

  /// A sentence that describes the error, without secrets.
  public var description: String { "\(operation) failed\(path.isEmpty ? "" : " for " + path): \(reason)" }
}

extension FileSystemError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
