import ArgumentParser

/// The options about parallel transfers.
struct ScheduleArguments: ParsableArguments {
  @Option(help: ArgumentHelp("The number of transfers at a time.", valueName: "n"))
  var parallel = 4
  @Option(
    help: ArgumentHelp(
      "When a signal asks the program to end, what runs may go on for this long; the rest is not begun.",
      valueName: "seconds"))
  var grace: Double?

  /// Waits for what runs when a signal comes; nil where a signal ends all at once.
  var lifecycle: SignalLifecycle? { grace.map { SignalLifecycle(grace: .seconds($0)) } }

  func validate() throws {
    guard (0...86_400).contains(grace ?? 0) else {
      throw ValidationError("--grace must be between 0 and 86400 seconds.")
    }
    guard (1...1_000_000).contains(parallel) else { throw ValidationError("--parallel must be between 1 and 1000000.") }
  }
}
