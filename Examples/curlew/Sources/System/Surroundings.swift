import Glibc

/// What the program finds when it starts, put in order before anything else is opened.
enum Surroundings {
  /// Makes a reader that has gone an error instead of the end, and keeps the numbers of closed standard streams taken.
  ///
  /// A file or a socket that got the number of a stream would be written into.
  static func settle() {
    signal(SIGPIPE, SIG_IGN)
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number is this one. The wrong way round, so that using it stays the error that it was.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// The place of the first argument that is not UTF-8, 1…: its bytes would be others by the time they are used.
  static var unreadableArgument: Int? {
    let arguments = CommandLine.unsafeArgv
    // Safe because there are that many, each a C string that lives as long as the process.
    return (1..<max(1, Int(CommandLine.argc))).first { index in
      arguments[index].map { String(validatingCString: $0) == nil } ?? false
    }
  }
}
