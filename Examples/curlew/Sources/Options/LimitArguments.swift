import ArgumentParser
import CurlewCore
import CurlewLoading

/// The options about time, size and attempts.
struct LimitArguments: ParsableArguments {
  @Option(
    name: [.customShort("m"), .long, .customLong("max-time")],
    help: ArgumentHelp(
      "The time limit of one attempt with its redirects, from connecting to the last byte; --retry gives each further attempt as much.",
      valueName: "seconds"), transform: Seconds.read)
  var timeout: Seconds?

  @Option(
    help: ArgumentHelp(
      "The time limit for name lookup, connecting and TLS, within that of --timeout.", valueName: "seconds"),
    transform: Seconds.read)
  var connectTimeout: Seconds?

  @Option(
    help: ArgumentHelp(
      "Give an attempt up in which no byte moves for so long; --retry makes another. Default: 60.", valueName: "seconds"
    ), transform: Seconds.read)
  var idleTimeout: Seconds?

  @Option(
    name: [.long, .customLong("max-filesize")],
    help: ArgumentHelp("The size limit of a body; suffixes k, M, G and T are allowed.", valueName: "bytes"),
    transform: ByteCount.read)
  var maxSize: ByteCount?

  @Option(
    help: ArgumentHelp(
      "Attempts after the first, where sending again is safe: after 408, 429, most 5xx and lost connections.",
      valueName: "n"))
  var retry = 0

  func validate() throws {
    guard (0...1_000).contains(retry) else { throw ValidationError("--retry must be between 0 and 1000.") }
  }

  /// The retry policy; nil makes one attempt.
  var retryPolicy: RetryPolicy? { retry > 0 ? RetryPolicy(limit: retry) : nil }

  func apply(to request: inout Request) {
    request.options.timeouts.total = timeout?.duration
    request.options.timeouts.connect = connectTimeout?.duration
    request.options.timeouts.idle = idleTimeout?.duration
  }
}
