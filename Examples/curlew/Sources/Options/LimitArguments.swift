import ArgumentParser
import CurlewCore

/// How long and how much.
struct LimitArguments: ParsableArguments {
  @Option(help: ArgumentHelp("The longest a request may take as a whole.", valueName: "seconds"))
  var timeout: Seconds?

  @Option(help: ArgumentHelp("The longest that name lookup, connecting and TLS may take.", valueName: "seconds"))
  var connectTimeout: Seconds?

  @Option(help: ArgumentHelp("The most bytes of a body to take; k, M and G are understood.", valueName: "bytes"))
  var maxSize: ByteCount?

  func apply(to request: inout Request) {
    request.options.timeouts.total = timeout?.duration
    request.options.timeouts.connect = connectTimeout?.duration
  }
}
