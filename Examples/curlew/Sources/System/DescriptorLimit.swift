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
}
