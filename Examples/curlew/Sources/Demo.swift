import ArgumentParser
import CurlewCore
import CurlewTestSupport

/// The command `curlew demo`.
struct Demo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows Curlew at work against an origin of its own; needs no network.",
    discussion: """
      Each step says what it is about to do, does it with real bytes over loopback, and checks that it came out as said. \
      Exit 0 only when every step did.

      EXAMPLES
        curlew demo
        curlew demo --progress none
      """)

  @Option(help: "How progress is shown on standard error: auto, bar, plain or none.")
  var progress = ProgressStyle.auto

  func run() async throws {
    try await Interruption.guarding { try await self.show() }
  }

  private func show() async throws {
    let stage = try await DemoStage(progress: progress)
    let outcome: Result<Int, any Error>
    do {
      outcome = .success(try await Self.play(on: stage))
    } catch {
      outcome = .failure(error)
    }
    await stage.end()
    let failed = try outcome.get()
    guard failed == 0 else {
      StandardError.write("curlew: \(failed) of \(DemoStep.all.count) steps did not behave as explained.")
      throw ExitCode.failure
    }
  }

  /// Runs every step and returns how many failed.
  private static func play(on stage: DemoStage) async throws -> Int {
    let begin = ContinuousClock.now
    try StandardOutput.write("An origin of this program's own listens on \(stage.origin.url("")).\n")
    var failed = 0
    for (number, step) in DemoStep.all.enumerated() {
      try StandardOutput.write("\n\(number + 1). \(step.title)\n   \(step.explanation)\n")
      let start = ContinuousClock.now
      do {
        let finding = try await step.run(stage)
        let time = DecimalText.of(start.duration(to: .now).inSeconds, digits: 2)
        try StandardOutput.write("   ok, \(time) s: \(finding)\n")
      } catch let error where !(error is CancellationError) && !(error is StreamError) {
        failed += 1
        try StandardOutput.write("   FAILED: \(error)\n")
      }
    }
    let time = DecimalText.of(begin.duration(to: .now).inSeconds, digits: 1)
    try StandardOutput.write("\n\(DemoStep.all.count - failed) of \(DemoStep.all.count) steps, \(time) s.\n")
    return failed
  }
}
