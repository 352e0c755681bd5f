import ArgumentParser
import Glibc

/// Measures any command, as `time -v` does.
struct MeasureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure", abstract: "Runs a command and says what it used.",
    discussion: """
      The figures are those of the command itself, whatever this program uses. They go to standard error.

      EXAMPLES
        curlew-bench measure curl -s -o /tmp/1g http://127.0.0.1:8080/1g
      """)

  @Argument(parsing: .captureForPassthrough, help: "The command and its arguments.") var command: [String]

  func run() throws {
    let arguments = command.first == "--" ? Array(command.dropFirst()) : command
    guard let name = arguments.first else { throw ValidationError("There is no command.") }
    var process = pid_t()
    var list = arguments.map { strdup($0) } + [nil]
    defer { for text in list { free(text) } }
    let before = Usage.current
    guard posix_spawnp(&process, name, nil, nil, &list, environ) == 0 else {
      throw ValidationError("'\(name)' cannot be started.")
    }
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0, errno == EINTR {}
    let used = Usage(usage)
    let line =
      "measured wall=\(decimal(used.wallSeconds - before.wallSeconds, 3)) cpu_s=\(decimal(used.processorSeconds, 3)) "
      + "rss_mb=\(decimal(used.peakMegabytes, 1))\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    guard status == 0 else { throw ExitCode(1) }
  }
}
