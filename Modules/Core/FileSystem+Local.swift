import Glibc

extension FileSystemError: CustomStringConvertible {
  /// Where an error number is taken from.
  enum Source { case current }

  /// Makes an error of `errno`.
  init(_ source: Source, operation: String, path: String) {
    self.init(code: errno, operation: operation, path: path)
  }

  /// Whether the disk or the quota is full.
  public var isDiskFull: Bool { code == ENOSPC || code == EDQUOT }

  /// What the system says, in its own words: "No such file or directory".
  public var reason: String { String(cString: strerror(code)) }

  /// What it is, in words without secrets.
  public var description: String { "\(operation) failed\(path.isEmpty ? "" : " for " + path): \(reason)" }
}
