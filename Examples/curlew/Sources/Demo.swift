import ArgumentParser

/// `curlew demo`.
struct Demo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows Curlew at work against an origin of its own; needs no network.",
    discussion: """
      Each step says what it is about to do, does it with real bytes over loopback, and checks that it came out as said. \
      Exit 0 only when every step did.

      EXAMPLES
        curlew demo
      """)

  func run() async throws {}
}
