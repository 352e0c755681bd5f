import ArgumentParser

/// The options about reports, traces and progress.
struct ReportArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("Append one JSON object for each URL to a file.", valueName: "file"), transform: checkedPath)
  var report: String?

  @Flag(help: "Print every event on standard error.")
  var trace = false

  @Option(help: "How progress is shown on standard error: auto, bar, plain or none.")
  var progress = ProgressStyle.auto
}

/// The ways to show progress.
enum ProgressStyle: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// Bars on a terminal if neither bodies nor events are printed, otherwise lines.
  case auto
  /// A bar for each transfer and one for all.
  case bar
  /// A line at most every 5 s.
  case plain
  /// No progress.
  case none
}
