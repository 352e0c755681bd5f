import ArgumentParser
import CRawWebSocket
import CurlewCore
import CurlewCurlTransport
import CurlewSession
import CurlewWebSocket
import Foundation

/// Measures many small messages of one WebSocket.
struct WebSocketCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "websocket", abstract: "Sends texts over one WebSocket and receives their echo.",
    discussion: """
      So many texts are on their way at once; each one that comes back is sent again, until COUNT came back. With --stream the \
      server sends COUNT texts, and nothing is sent. A tenth of the texts goes before the counted ones, except of a stream and with \
      --slow.

      EXAMPLES
        curlew-bench websocket http://127.0.0.1:8080/echo 1000000 --outstanding 32
        curlew-bench websocket http://127.0.0.1:8080/echo 100000 --executor transport
        curlew-bench websocket http://127.0.0.1:8080/stream/1000000/32 1000000 --stream --peer libcurl
      """)

  @Argument(help: "The server; curlew-bench websocket-serve is one.") var url: String
  @Argument(help: "How many texts.") var count: Int
  @Option(help: "How many are on their way at once.") var outstanding = 1
  @Option(help: "The bytes of a text, 65,000 at most.") var size = 32
  @Option(help: "Run the task on the global pool, where it is by default, or on the transport's thread.")
  var executor = ExecutorName.global
  @Option(help: "Do the same work through a peer: libcurl, batching or hopping.") var peer: WebSocketPeer?
  @Flag(help: "Only receive.") var stream = false
  @Flag(help: "Send as fast as the server takes it, and receive 1 MiB every 5 ms.") var slow = false

  func validate() throws {
    guard count > 0, outstanding > 0, (0...65_000).contains(size) else {
      throw ValidationError("A number is too small or too large.")
    }
    guard !slow || peer == nil else { throw ValidationError("A peer is never slow.") }
    guard peer != .hopping || (outstanding == 1 && !stream) else {
      throw ValidationError("The peer that changes threads sends one text at a time.")
    }
  }

  func run() async throws {
    let arrived: Int
    let measured: Measurement
    if peer == .hopping {
      let socket = HoppingSocket(url, size: size)
      _ = await socket.echo(count / 10)
      let start = Usage.current
      arrived = await socket.echo(count)
      measured = Measurement(from: start)
      socket.close()
    } else if let peer {
      let batches: Int32 = peer == .batching ? 1 : 0
      guard let socket = raw_socket_open(url, nil) else { throw BenchError(description: "The peer cannot connect.") }
      if !stream { raw_socket_echo(socket, Int64(count / 10), outstanding, size, batches) }
      let start = Usage.current
      arrived = Int(
        stream
          ? raw_socket_take(socket, Int64(count)) : raw_socket_echo(socket, Int64(count), outstanding, size, batches))
      measured = Measurement(from: start)
      raw_socket_free(socket)
    } else {
      let transport = try CurlTransport()
      let socket = try await HTTPSession(transport).webSocket(url)
      let task = Task(executorPreference: executor == .transport ? transport.executor : nil) { [self] in
        if !stream, !slow { _ = try await echo(socket, count / 10) }
        let start = Usage.current
        let arrived = try await slow ? crawl(socket) : stream ? take(socket) : echo(socket, count)
        return (arrived, Measurement(from: start))
      }
      (arrived, measured) = try await task.value
      socket.cancel()
      await transport.shutdown()
    }
    guard arrived == count else { throw BenchError(description: "\(arrived) of \(count) texts arrived.") }
    print(
      "\(peer?.rawValue ?? "curlew") n=\(count) outstanding=\(outstanding) wall=\(decimal(measured.wallSeconds, 3))",
      "cpu_us_per_message=\(decimal(measured.processorSeconds * 1e6 / Double(count), 3))",
      "rss_mb=\(decimal(measured.peakMegabytes, 1))")
  }

  private func echo(_ socket: WebSocket, _ count: Int) async throws -> Int {
    let text = String(repeating: "a", count: size)
    var sent = 0
    var arrived = 0
    while sent < min(outstanding, count) {
      try await socket.send(text)
      sent += 1
    }
    while arrived < count, let message = try await socket.receive() {
      if message.count == size { arrived += 1 }
      guard sent < count else { continue }
      try await socket.send(message)
      sent += 1
    }
    return arrived
  }

  private func crawl(_ socket: WebSocket) async throws -> Int {
    let text = String(repeating: "a", count: size)
    let sending = Task { for _ in 0..<count { try await socket.send(text) } }
    var arrived = 0
    var bytes = 0
    while arrived < count, let message = try await socket.receive() {
      if message.count == size { arrived += 1 }
      bytes += message.count
      guard bytes > 1 << 20 else { continue }
      bytes = 0
      try await Task.sleep(for: .milliseconds(5))
    }
    try await sending.value
    return arrived
  }

  private func take(_ socket: WebSocket) async throws -> Int {
    var arrived = 0
    while arrived < count, let message = try await socket.receive() {
      if message.count == size { arrived += 1 }
    }
    return arrived
  }
}

enum WebSocketPeer: String, ExpressibleByArgument, CaseIterable {
  /// A loop in C over libcurl's connect-only mode, which sends each message by itself.
  case libcurl
  /// The same, which sends together what answers one read.
  case batching
  /// The same on a thread of its own, asked for each echo by a task of the global pool.
  case hopping
}

/// Serves WebSockets for the other commands.
struct WebSocketServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "websocket-serve",
    abstract: "Serves WebSockets at /echo and /stream/COUNT/SIZE on a free port, which it prints, until it is killed.")

  @Option(help: "The certificate chain with which it speaks TLS.") var certificate: String?
  @Option(help: "The key of the certificate.") var key: String?

  func run() throws {
    guard raw_socket_serve(certificate, key) == 0 else { throw BenchError(description: "The server cannot start.") }
  }
}
