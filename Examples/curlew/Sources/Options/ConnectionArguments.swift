import ArgumentParser
import CurlewCore

/// How to get there.
struct ConnectionArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Go through a proxy: http:// or socks5://, or 'env' for the one the environment names.",
      valueName: "url|env"))
  var proxy: ProxyArgument?

  @Flag(name: .customLong("http1.1"), help: "Speak HTTP/1.1 only.")
  var http1 = false

  @Option(
    help: ArgumentHelp("Connect to a Unix socket instead of the host.", valueName: "path"), transform: checkedPath)
  var unixSocket: String?

  @Option(
    help: ArgumentHelp("Connect to an address; name, Host and trust stay the host's.", valueName: "host:port:address"))
  var resolve: [ResolveArgument] = []

  @Option(help: ArgumentHelp("The most bytes a second, each way; k, M and G are understood.", valueName: "bytes"))
  var limitRate: ByteCount?

  @Option(help: "What carries the requests.")
  var transport = TransportChoice.curl

  func apply(to request: inout Request) {
    if http1 { request.options.version = .http1 }
    request.options.unixSocketPath = unixSocket
    request.options.addressOverrides = resolve.map(\.override)
    request.options.rateLimit = limitRate.map { RateLimit(send: $0.bytes, receive: $0.bytes) }
  }
}
