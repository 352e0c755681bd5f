import ArgumentParser

/// Runs long measurements for which tests have no time.
///
/// Each command is a process, so that its memory is its own. It prints its figures on one line, and exits with 1 if one of
/// them is outside its limit. `Scripts/soak` runs them all.
@main
struct Soak: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "curlew-soak", abstract: "Measures what must hold for long, or for many.",
    subcommands: [
      SlowReaders.self, Bomb.self, Many.self, Cancels.self, DeadResolver.self, StalledUpload.self, LostConnections.self,
      XMLStream.self, RecordStream.self, FormStream.self, FormOrigin.self, CacheKills.self, CacheWriterCommand.self,
      EventStream.self, LineStream.self, Sessions.self, Operations.self, StoreKills.self, StoreWriterCommand.self,
    ])
}

/// The figures of one measurement, and whether they are within their limits.
struct Report {
  private var figures: [String] = []
  private var broken: [String] = []
  let name: String

  init(_ name: String) { self.name = name }

  mutating func note(_ figure: String) { figures.append(figure) }

  /// Adds a figure that must be within its limit.
  mutating func promise(_ holds: Bool, _ figure: String) {
    figures.append(figure)
    if !holds { broken.append(figure) }
  }

  /// Prints the line.
  ///
  /// - Throws: `ExitCode.failure` when a figure is outside its limit.
  func finish() throws {
    print("\(broken.isEmpty ? "ok" : "FAILED") \(name): \(figures.joined(separator: ", "))")
    if !broken.isEmpty { throw ExitCode.failure }
  }
}
