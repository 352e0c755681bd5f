import Glibc

/// Looks whether standard input holds bytes that nobody has read.
enum UnreadInput {
  /// Whether standard input is a pipe, which may still get its bytes, or a file that was not read.
  static var mayCome: Bool {
    var status = stat()
    return fstat(STDIN_FILENO, &status) == 0 && (status.st_mode & S_IFMT == S_IFIFO || exists)
  }

  /// Whether a pipe has bytes that can be read, or a file its first one; never waits, and reads nothing.
  ///
  /// A file that was read in part is one that a loop reads, line by line.
  static var exists: Bool {
    var status = stat()
    guard fstat(STDIN_FILENO, &status) == 0 else { return false }
    switch status.st_mode & S_IFMT {
    case S_IFIFO:
      var count: Int32 = 0
      return ioctl(STDIN_FILENO, UInt(FIONREAD), &count) == 0 && count > 0
    case S_IFREG: return status.st_size > 0 && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0
    default: return false
    }
  }
}
