#if AsyncHTTPClient
import CurlewCore
import CurlewTestSupport
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

/// A server that speaks HTTP/2 where the client offers it.
///
/// `/big` is a body of 64 MiB, sent as the client takes it; `/held` ends after 1000 bytes only when the client leaves; `/echo`
/// sends a request's body back, with a trailer; every other path says `hello`.
final class HTTP2Server: Sendable {
  struct Counters: Sendable {
    var connections = 0
    var open = 0
    var bytes = 0
    var endedStreams = 0
  }

  let port: Int
  private let channel: any Channel
  private let box: CounterBox

  var counters: Counters { box.value.withLock { $0 } }

  static func start(_ identity: TestIdentity) async throws -> HTTP2Server {
    let files = try identity.writeFiles()
    defer { files.remove() }
    var tls = TLSConfiguration.makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMFile(files.chain).map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(file: files.key, format: .pem)))
    tls.applicationProtocols = ["h2", "http/1.1"]
    let context = try NIOSSLContext(configuration: tls)
    let box = CounterBox()
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        box.value.withLock { ($0.connections, $0.open) = ($0.connections + 1, $0.open + 1) }
        channel.closeFuture.whenComplete { _ in box.value.withLock { $0.open -= 1 } }
        do {
          try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
        } catch {
          return channel.eventLoop.makeFailedFuture(error)
        }
        return channel.configureCommonHTTPServerPipeline { stream in
          stream.closeFuture.whenComplete { _ in box.value.withLock { $0.endedStreams += 1 } }
          return stream.eventLoop.makeCompletedFuture {
            try stream.pipeline.syncOperations.addHandler(Responder(box))
          }
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    return HTTP2Server(channel, box)
  }

  private init(_ channel: any Channel, _ box: CounterBox) {
    self.channel = channel
    self.box = box
    port = channel.localAddress?.port ?? 0
  }

  /// Returns a request for a path.
  func request(_ path: String) throws(NetworkError) -> Request { try Request(.get, "https://127.0.0.1:\(port)\(path)") }

  func stop() async throws { try await channel.close() }

  /// Waits until the counters are as a condition says.
  func until(_ condition: (Counters) -> Bool) async throws {
    // Sleeps because the counters announce no change.
    while !condition(counters) { try await Task.sleep(for: .milliseconds(5)) }
  }
}

/// The counters that all connections share.
private final class CounterBox: Sendable {
  let value = Mutex(HTTP2Server.Counters())
}

/// Answers the requests of one stream.
private final class Responder: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private static let big = 64 << 20
  private let box: CounterBox
  private var path = ""
  private var body = ByteBuffer()
  private var left = 0

  init(_ box: CounterBox) { self.box = box }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): path = head.uri
    case .body(var bytes): body.writeBuffer(&bytes)
    case .end: answer(context)
    }
  }

  private func answer(_ context: ChannelHandlerContext) {
    write(.head(HTTPResponseHead(version: .http1_1, status: .ok)), context)
    switch path {
    case "/big":
      left = Self.big
      fill(context)
    case "/held":
      write(.body(.byteBuffer(ByteBuffer(repeating: 0x61, count: 1000))), context)
      context.flush()
    case "/echo":
      write(.body(.byteBuffer(body)), context)
      context.writeAndFlush(wrapOutboundOut(.end(["x-sum": "1"])), promise: nil)
    default:
      write(.body(.byteBuffer(ByteBuffer(string: "hello"))), context)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if left > 0 { fill(context) }
    context.fireChannelWritabilityChanged()
  }

  /// Writes as long as the client takes more.
  private func fill(_ context: ChannelHandlerContext) {
    while left > 0, context.channel.isWritable {
      let count = min(left, 16_384)
      left -= count
      box.value.withLock { $0.bytes += count }
      context.writeAndFlush(
        wrapOutboundOut(.body(.byteBuffer(ByteBuffer(repeating: 0x61, count: count)))), promise: nil)
      if left == 0 { context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil) }
    }
  }

  private func write(_ part: HTTPServerResponsePart, _ context: ChannelHandlerContext) {
    context.write(wrapOutboundOut(part), promise: nil)
  }
}
#endif
