/// One thing the demo shows.
struct DemoStep: Sendable {
  let title: String
  /// What will happen, and why it matters.
  let explanation: String
  /// Does it, and says what was seen.
  ///
  /// Throws when something was otherwise than explained.
  let run: @Sendable (DemoStage) async throws -> String

  /// All steps, in the order in which they are shown.
  static let all: [DemoStep] = [
    .apiCall, .download, .parallelDownloads, .refusedStatus, .cutDownload, .slowReader, .staleConnection, .unsafeResend,
    .timeout, .upload, .cancellation,
  ]
}
