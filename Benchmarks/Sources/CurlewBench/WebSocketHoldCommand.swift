import ArgumentParser
import CRawWebSocket
import CurlewCore
import CurlewCurlTransport
import CurlewSecurity
import CurlewSession
import CurlewWebSocket
import Foundation

/// Measures the memory of idle WebSockets.
struct WebSocketHoldCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "websocket-hold",
    abstract: "Opens WebSockets one after another, and prints the bytes that each holds.",
    discussion: """
      The resident memory of the process is read after a tenth of them, and when all are open and idle.

      EXAMPLES
        curlew-bench websocket-hold http://127.0.0.1:8080/echo 10000
        curlew-bench websocket-hold https://localhost:8443/echo 10000 --cacert ca.pem --peer libcurl
      """)

  @Argument(help: "The server; curlew-bench websocket-serve is one.") var url: String
  @Argument(help: "How many, 1,000 at least.") var count: Int
  @Option(help: "The anchor up to which certificates are verified.") var cacert: String?
  @Option(help: "Do the same work through a peer: libcurl.") var peer: WebSocketPeer?

  func validate() throws {
    guard count >= 1000 else { throw ValidationError("Fewer than 1,000 drown in what a process holds anyway.") }
  }

  func run() async throws {
    let first = count / 10
    let before: Int
    if peer != nil {
      guard raw_socket_hold(url, cacert, first) == first else {
        throw BenchError(description: "The peer cannot connect.")
      }
      before = try Self.residentBytes()
      let rest = count - first
      guard raw_socket_hold(url, cacert, rest) == rest else {
        throw BenchError(description: "The peer cannot connect.")
      }
      return try report(since: before)
    }
    var policy = SecurityPolicy.Settings()
    if let cacert { policy.anchors = .only(try Certificate.all(inFile: cacert)) }
    let serverTrust = try SecurityPolicy(policy)
    let transport = try CurlTransport()
    let session = HTTPSession(transport) { $0.settings.serverTrust = serverTrust }
    var sockets: [WebSocket] = []
    sockets.reserveCapacity(count)
    for _ in 0..<first { sockets.append(try await session.webSocket(url)) }
    before = try Self.residentBytes()
    for _ in first..<count { sockets.append(try await session.webSocket(url)) }
    try report(since: before)
    for socket in sockets { socket.cancel() }
    await transport.shutdown()
  }

  private func report(since before: Int) throws {
    let each = (try Self.residentBytes() - before) / (count - count / 10)
    print("\(peer?.rawValue ?? "curlew") connections=\(count) bytes_each=\(each)")
  }

  /// The resident memory of this process.
  private static func residentBytes() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else {
      throw BenchError(description: "/proc has no memory of this process.")
    }
    return pages * 4096
  }
}
