import FoundationEssentials
import Glibc

/// Prepares signals and standard streams before anything else is opened.
enum Surroundings {
  /// Ignores SIGPIPE, and reserves the descriptors of closed standard streams.
  ///
  /// Writing to a closed pipe then returns an error. Without the reservation, a file or a socket could get such a descriptor,
  /// and output would be written into it.
  static func settle() {
    signal(SIGPIPE, SIG_IGN)
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // `open` returns the lowest free descriptor, which is this one. It is opened in the wrong direction, so that using the
      // stream remains an error.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Whether the environment names a proxy, which only `--proxy env` goes through.
  static var namesProxy: Bool {
    let environment = ProcessInfo.processInfo.environment
    return ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains {
      environment[$0]?.isEmpty == false
    }
  }

  /// The position of the first argument that is not UTF-8, 1 or more; nil if none.
  ///
  /// Swift would change the bytes of such an argument.
  static var unreadableArgument: Int? {
    let arguments = CommandLine.unsafeArgv
    // Safe because there are `argc` C strings, which live as long as the process.
    return (1..<max(1, Int(CommandLine.argc))).first { index in
      arguments[index].map { String(validatingCString: $0) == nil } ?? false
    }
  }
}
