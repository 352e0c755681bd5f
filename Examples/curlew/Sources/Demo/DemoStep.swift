/// One step of the demo.
struct DemoStep: Sendable {
  let title: String
  /// The explanation that is printed before the step.
  let explanation: String
  /// Runs the step and returns what was observed.
  ///
  /// - Throws: When something did not happen as explained.
  let run: @Sendable (DemoStage) async throws -> String

  /// All steps in order.
  static let all: [DemoStep] = [
    .apiCall, .download, .parallelDownloads, .refusedStatus, .cutDownload, .pausedDownload, .killedDownload,
    .batch,
    .slowReader, .staleConnection, .unsafeResend,
    .timeout, .upload, .cancellation, .operations, .managers, .reachability,
  ]
}
