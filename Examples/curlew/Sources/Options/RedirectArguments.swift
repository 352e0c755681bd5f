import ArgumentParser
import CurlewCore

/// The options about redirects.
struct RedirectArguments: ParsableArguments {
  @Flag(
    name: [.customShort("L"), .long], inversion: .prefixedNo,
    help: "Follow redirects, which is the default; with --no-location the 3xx is the response.")
  var location = true

  @Option(
    name: [.long, .customLong("max-redirs")],
    help: ArgumentHelp("The number of redirects to follow for a URL; with 0 the 3xx is the response.", valueName: "n"))
  var maxRedirects = 20

  func validate() throws {
    guard (0...10_000).contains(maxRedirects) else {
      throw ValidationError("--max-redirects must be between 0 and 10000.")
    }
  }

  /// How many redirects are followed; with 0 the 3xx is the response.
  var limit: Int { location ? maxRedirects : 0 }

  func apply(to request: inout Request) { request.options.redirectLimit = limit }
}
