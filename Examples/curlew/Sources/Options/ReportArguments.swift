import ArgumentParser
import Synchronization

/// The options about reports, traces and progress.
struct ReportArguments: ParsableArguments {
  static let traceHelp: ArgumentHelp =
    "Print every event on standard error: > what is sent, < what is received, * connections, certificates, redirects, retries and times."

  @Option(
    help: ArgumentHelp("Append one JSON object for each URL, with the whole URL, to a file.", valueName: "file"),
    transform: checkedPath)
  var report: String?

  @Flag(
    name: [.customShort("v"), .customLong("verbose"), .customLong("trace")],
    help: traceHelp)
  var trace = false

  @Flag(
    name: [.customShort("s"), .long], help: "Print neither progress, warnings nor what failed; the exit code tells.")
  var silent = false

  @Flag(name: [.customShort("S"), .long], help: "With --silent, print what failed all the same.")
  var showError = false

  @Option(
    help:
      "How progress is shown on standard error: auto (bars on a terminal, elsewhere ever rarer lines about files), bar, plain or none."
  )
  var progress = ProgressStyle.auto

  func validate() throws {
    if silent, progress != .auto { throw ValidationError("--silent and --progress exclude each other.") }
  }

  /// Hides warnings for the rest of the run, if asked for.
  func apply() { if silent { StandardError.hidesWarnings.store(true, ordering: .relaxed) } }

  /// How progress is shown.
  var style: ProgressStyle { silent ? .none : progress }

  /// Whether failures of single URLs are printed.
  var printsFailures: Bool { !silent || showError }
}

/// The ways to show progress.
enum ProgressStyle: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// Bars on a terminal if neither bodies nor events are printed there, otherwise lines if files are written.
  case auto
  /// A bar for each transfer and one for all.
  case bar
  /// A line after 5 s, and then ever more rarely.
  case plain
  /// No progress.
  case none
}
