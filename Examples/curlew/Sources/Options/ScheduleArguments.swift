import ArgumentParser

/// The options about parallel transfers.
struct ScheduleArguments: ParsableArguments {
  @Option(help: ArgumentHelp("The number of transfers at a time.", valueName: "n"))
  var parallel = 4

  func validate() throws {
    guard (1...1_000_000).contains(parallel) else { throw ValidationError("--parallel must be between 1 and 1000000.") }
  }
}
