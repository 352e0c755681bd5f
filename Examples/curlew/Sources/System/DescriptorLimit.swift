import Glibc

/// The limit of open files and sockets.
enum DescriptorLimit {
  /// Raises the soft limit to the hard one.
  ///
  /// `--parallel 10000` then works in an ordinary shell.
  static func raise() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else {
      return
    }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// Returns how many downloads can run at once; each needs a socket and a file.
  ///
  /// - Parameter limit: The limit of descriptors; nil asks the system.
  static func transfers(_ wanted: Int, limit: Int? = nil) -> Int {
    let most = limit ?? Int(clamping: sysconf(Int32(_SC_OPEN_MAX)))
    return min(wanted, max(1, (most - spare) / 2))
  }

  /// The descriptors that the process needs for itself: streams, event loop, report.
  private static let spare = 64
}
