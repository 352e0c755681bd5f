import ArgumentParser

/// How many at once.
struct ScheduleArguments: ParsableArguments {
  @Option(help: ArgumentHelp("Transfers in flight at once.", valueName: "n"))
  var parallel = 4

  func validate() throws {
    guard (1...1_000_000).contains(parallel) else { throw ValidationError("--parallel is at least 1.") }
  }
}
