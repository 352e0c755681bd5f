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

  /// A sentence that describes the error, without secrets.
  public var description: String { "\(operation) failed\(path.isEmpty ? "" : " for " + path): \(reason)" }
}
