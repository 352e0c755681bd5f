import ArgumentParser
import CurlewCore
import CurlewLoading
import FoundationEssentials

/// The options about connections.
struct ConnectionArguments: ParsableArguments {
  @Option(
    name: [.customShort("x"), .long],
    help: ArgumentHelp(
      "Go through a proxy: http:// or socks5://, or 'env' for the one the environment names.",
      valueName: "url|env"), transform: ProxyArgument.read)
  var proxy: ProxyArgument?

  @Flag(name: .customLong("http1.1"), help: "Speak HTTP/1.1 only.")
  var http1 = false

  @Flag(help: "Speak HTTP/2 where the server does; refused with a libcurl on which it is off (see curlew --version).")
  var http2 = false

  @Option(
    help: ArgumentHelp("Connect to a Unix socket instead of the host.", valueName: "path"), transform: checkedPath)
  var unixSocket: String?

  @Option(
    help: ArgumentHelp(
      "Connect to this address; TLS and the Host field still use the host.", valueName: "host:port:address"),
    transform: ResolveArgument.read)
  var resolve: [ResolveArgument] = []

  @Option(
    help: ArgumentHelp(
      "The limit in bytes per second for each direction; suffixes k, M, G and T are allowed.", valueName: "bytes"),
    transform: ByteCount.read)
  var limitRate: ByteCount?

  @Option(help: "The transport that sends the requests; auto takes the first that can do what a request needs.")
  var transport = TransportChoice.named("curl")

  /// Returns the proxy for each URL; nil for a direct connection.
  var proxies: @Sendable (URL) -> Proxy? {
    switch proxy {
    case .fixed(let proxy): return { _ in proxy }
    case .environment:
      let proxies = EnvironmentProxies(ProcessInfo.processInfo.environment)
      return { url in (try? proxies.proxy(for: url)) ?? nil }
    case nil: return { _ in nil }
    }
  }

  func validate() throws {
    if http1, http2 { throw ValidationError("--http1.1 and --http2 exclude each other.") }
  }

  func apply(to request: inout Request) {
    if http1 { request.options.version = .http1 }
    if http2 { request.options.version = .http2 }
    request.options.unixSocketPath = unixSocket
    request.options.addressOverrides = resolve.map(\.override)
    request.options.rateLimit = limitRate.map { RateLimit(send: $0.bytes, receive: $0.bytes) }
  }
}
