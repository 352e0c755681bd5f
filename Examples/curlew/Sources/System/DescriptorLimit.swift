import Glibc

/// How many files and sockets the process may have open.
enum DescriptorLimit {
  /// Raises the soft limit to the hard one, so that `--parallel 10000` meets no limit of the shell's.
  static func raise() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else {
      return
    }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// How many of so many transfers can be under way at once that write files: each takes a socket and a file.
  ///
  /// - Parameter limit: How many descriptors there may be; nil asks the system.
  static func transfers(_ wanted: Int, limit: Int? = nil) -> Int {
    let most = limit ?? Int(clamping: sysconf(Int32(_SC_OPEN_MAX)))
    return min(wanted, max(1, (most - spare) / 2))
  }

  /// What the process itself has open: streams, the event loop's, the report.
  private static let spare = 64
}
