import ArgumentParser
import CurlewCore
import CurlewLoading

/// How long and how much.
struct LimitArguments: ParsableArguments {
  @Option(help: ArgumentHelp("The longest a request may take as a whole.", valueName: "seconds"))
  var timeout: Seconds?

  @Option(help: ArgumentHelp("The longest that name lookup, connecting and TLS may take.", valueName: "seconds"))
  var connectTimeout: Seconds?

  @Option(help: ArgumentHelp("The most bytes of a body to take; k, M and G are understood.", valueName: "bytes"))
  var maxSize: ByteCount?

  @Option(
    help: ArgumentHelp(
      "Attempts after the first, where sending again is safe: after 408, 429, 5xx and lost connections. Default: 0.",
      valueName: "n"))
  var retry = 0

  func validate() throws {
    guard (0...1_000).contains(retry) else { throw ValidationError("--retry is 0 to 1000.") }
  }

  /// How to try again; nil is not at all.
  var retryPolicy: RetryPolicy? { retry > 0 ? RetryPolicy(limit: retry) : nil }

  func apply(to request: inout Request) {
    request.options.timeouts.total = timeout?.duration
    request.options.timeouts.connect = connectTimeout?.duration
  }
}
