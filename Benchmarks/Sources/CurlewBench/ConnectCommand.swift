import ArgumentParser
import CurlewCore
import CurlewCurlTransport
import CurlewSecurity
import FoundationEssentials
import HTTPTypes

/// Measures requests that each need a new connection.
struct ConnectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "connect", abstract: "GETs one URL many times, each time on a new connection, one after another.",
    discussion: """
      Curlew verifies chain, dates and name of each and pins the key of the anchor; a tenth goes before the counted ones. The \
      peer makes whole handshakes too, and looks at no certificate.

      EXAMPLES
        curlew-bench connect https://localhost:8443/1k 1000 --cacert ca.pem
        curlew-bench connect https://localhost:8443/1k 1000 --peer libcurl
      """)

  @Argument(help: "What to get.") var url: String
  @Argument(help: "How many times.") var count: Int
  @Option(help: "The anchor: its certificate is verified up to, and its key pinned.") var cacert: String?
  @Option(help: "Do the same work through a peer: libcurl.") var peer: Peer?

  enum Peer: String, ExpressibleByArgument, CaseIterable { case libcurl }

  func validate() throws {
    guard count > 0 else { throw ValidationError("COUNT is at least 1.") }
    guard (cacert == nil) == (peer != nil) else { throw ValidationError("Give --cacert, or a peer that needs none.") }
  }

  func run() async throws {
    let client: any GetClient
    if let cacert {
      client = try ConnectingClient(url, anchors: try Certificate.all(inFile: cacert))
    } else {
      let raw = try RawClient(url, inFlight: 1)
      raw.connectAnew()
      client = raw
    }
    _ = try await client.get(count: max(1, count / 10))
    let start = Usage.current
    _ = try await client.get(count: count)
    let measured = Measurement(from: start)
    try await client.end()
    print(
      "\(peer?.rawValue ?? "curlew") connections=\(count) wall=\(decimal(measured.wallSeconds, 3))",
      "cpu_us_per_connection=\(decimal(measured.processorSeconds * 1e6 / Double(count), 2))",
      "rss_mb=\(decimal(measured.peakMegabytes, 1))")
  }
}

/// A client that verifies and pins, with a new connection for each request.
private struct ConnectingClient: GetClient {
  private let transport: CurlTransport
  private let request: Request
  private let settings: ExchangeSettings

  init(_ url: String, anchors: [Certificate]) throws {
    var configuration = CurlTransport.Configuration()
    // Connections are closed soon after their request, as the peer's are.
    configuration.connectionsKept = 1
    transport = try CurlTransport(configuration)
    var request = try Request(.get, url)
    request.options.delivery = .collected
    self.request = request
    var policy = SecurityPolicy.Settings()
    policy.anchors = .only(anchors)
    policy.pinningMode = .publicKey
    policy.publicKeyPins = Set(anchors.map(\.publicKeyPin))
    var settings = ExchangeSettings()
    settings.serverTrust = try SecurityPolicy(policy)
    self.settings = settings
  }

  func get(count: Int) async throws -> Int64 {
    var bytes: Int64 = 0
    for _ in 0..<count {
      let response = try await transport.send(request, in: Exchange(settings).derived(freshConnection: true))
      guard response.head.status == .ok else {
        throw BenchError(description: "The server answered \(response.head.status).")
      }
      bytes += Int64(try await response.body.collect(upTo: 1 << 20).count)
    }
    return bytes
  }

  func end() async { await transport.shutdown() }
}
