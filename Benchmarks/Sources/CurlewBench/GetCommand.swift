import ArgumentParser
import CurlewHAR
import FoundationEssentials

/// Measures many small requests.
struct GetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "GETs one URL many times.",
    discussion: """
      A tenth of the requests, at most 1,000, go before the counted ones, so that connections are open and caches warm.

      EXAMPLES
        curlew-bench get http://127.0.0.1:8080/1k 100000 32
        curlew-bench get http://127.0.0.1:8080/1k 100000 32 --through transfer --executor transport
      """)

  @Argument(help: "What to get.") var url: String
  @Argument(help: "How many times.") var count: Int
  @Argument(help: "How many at once.") var inFlight: Int
  @Option(help: "Decode each body: json, or with Foundation's decoder behind a loader: foundation.") var decode:
    Decoding?
  @Option(help: "What carries the requests: curl or urlsession.") var transport = TransportName.curl
  @Option(help: "Do the same work through a peer: libcurl or urlsession.") var peer: GetPeer?
  @Option(
    help:
      "Run the tasks on the global pool, where they are by default, or on the transport's thread: global or transport.")
  var executor = ExecutorName.global
  @Option(
    help: "Which shape makes the requests: transport, loader, transfer, operation, session, task, manager or hooks.")
  var through = ThroughName.loader
  @Option(help: "What requests pass: none, redirect, cookies, authentication, caching or all.")
  var interceptors = InterceptorsName.none
  @Option(help: "Record every request of a loader or a transfer in an HTTP archive, with this path.") var har: String?
  @Flag(help: "Skip the requests before the counted ones.") var cold = false

  enum Decoding: String, ExpressibleByArgument, CaseIterable { case json, foundation }

  func validate() throws {
    guard count > 0, inFlight > 0 else { throw ValidationError("COUNT and INFLIGHT are at least 1.") }
    guard decode == nil || peer == nil else { throw ValidationError("A peer does not decode.") }
    guard decode != .foundation || through == .loader else {
      throw ValidationError("Foundation decodes what comes through a loader.")
    }
    guard through == .loader || peer == nil else { throw ValidationError("A peer has no shapes.") }
    guard har == nil || peer == nil && (through == .loader || through == .transfer) else {
      throw ValidationError("Only what goes through a loader or a transfer is recorded.")
    }
  }

  func run() async throws {
    let client = try makeClient()
    if !cold { _ = try await client.get(count: min(1000, max(inFlight, count / 10))) }
    let start = Usage.current
    let bytes = try await client.get(count: count)
    try await client.end()
    let measured = Measurement(from: start)
    print(
      "\(peer?.rawValue ?? "curlew") n=\(count) c=\(inFlight) bytes=\(bytes) wall=\(decimal(measured.wallSeconds, 3))",
      "rps=\(decimal(Double(count) / measured.wallSeconds, 0))",
      "cpu_us_per_req=\(decimal(measured.processorSeconds * 1e6 / Double(count), 2))",
      "rss_mb=\(decimal(measured.peakMegabytes, 1))")
  }

  private func makeClient() throws -> any GetClient {
    switch peer {
    case nil:
      try CurlewClient(
        url, inFlight: inFlight, transport: transport, decode: decode, executor: executor,
        interceptors: interceptors, through: through, recorder: har.map { try HARRecorder($0) })
    case .libcurl: try RawClient(url, inFlight: inFlight)
    case .urlsession: try URLSessionClient(url, inFlight: inFlight)
    }
  }
}

/// A client that gets one URL repeatedly, over connections that it keeps.
protocol GetClient: Sendable {
  /// Sends this many requests and returns the bytes of their bodies.
  ///
  /// It throws when a request fails.
  func get(count: Int) async throws -> Int64
  /// Closes what it has opened; what it still has to write counts.
  func end() async throws
}

enum GetPeer: String, ExpressibleByArgument, CaseIterable {
  case libcurl
  case urlsession
}

/// A request that failed in a run that needs all of them.
struct BenchError: Error, CustomStringConvertible {
  let description: String
}
