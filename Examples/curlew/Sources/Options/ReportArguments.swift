import ArgumentParser

/// What is said about the work.
struct ReportArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("Append one JSON object for each URL to a file.", valueName: "file"), transform: checkedPath)
  var report: String?

  @Flag(help: "Print every event on standard error.")
  var trace = false

  @Option(help: "How progress is shown on standard error: auto, bar, plain or none.")
  var progress = ProgressStyle.auto
}

/// How progress is shown.
enum ProgressStyle: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// Bars on a terminal that shows neither body nor events, else lines.
  case auto
  /// A bar for each transfer and one for all.
  case bar
  /// A line at most every 5 s.
  case plain
  /// Nothing.
  case none
}
