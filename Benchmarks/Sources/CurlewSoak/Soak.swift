import ArgumentParser

/// Long measurements that tests have no time for. Each command is one process, so that its memory is its own; it prints
/// its figures on one line and ends with 1 when one of them is beyond what is promised. `Scripts/soak` runs them all.
@main
struct Soak: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "curlew-soak", abstract: "Measures what must hold for long, or for many.",
    subcommands: [
      SlowReaders.self, Bomb.self, Many.self, Cancels.self, DeadResolver.self, StalledUpload.self, LostConnections.self,
      XMLStream.self, RecordStream.self, FormStream.self, FormOrigin.self, CacheKills.self, CacheWriterCommand.self,
      EventStream.self, Sessions.self,
    ])
}

/// One measurement's figures and promises.
struct Report {
  private var figures: [String] = []
  private var broken: [String] = []
  let name: String

  init(_ name: String) { self.name = name }

  mutating func note(_ figure: String) { figures.append(figure) }

  /// Adds a figure that must hold.
  mutating func promise(_ holds: Bool, _ figure: String) {
    figures.append(figure)
    if !holds { broken.append(figure) }
  }

  /// Prints the line.
  ///
  /// - Throws: `ExitCode.failure` when a promise was broken.
  func finish() throws {
    print("\(broken.isEmpty ? "ok" : "FAILED") \(name): \(figures.joined(separator: ", "))")
    if !broken.isEmpty { throw ExitCode.failure }
  }
}
