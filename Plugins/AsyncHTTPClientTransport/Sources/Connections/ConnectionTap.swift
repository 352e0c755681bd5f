import CurlewCore
import NIOCore
import NIOHTTP1

/// Tells a request what happens on its connection, which AsyncHTTPClient does not.
///
/// It is between the connection's codec and AsyncHTTPClient, on a connection of HTTP/1.1 or a stream of HTTP/2. Each request
/// carries a mark as a field, which the tap removes. It reports when the request is written, on which connection, how many
/// bytes the kernel takes, informational heads and trailers.
final class ConnectionTap: ChannelDuplexHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias InboundOut = HTTPClientResponsePart
  typealias OutboundIn = HTTPClientRequestPart
  typealias OutboundOut = HTTPClientRequestPart

  /// The field that names the request; it never leaves the process.
  static let markName = "curlew-flight"

  private let flights: FlightTable
  private let connection: ConnectionRecord
  /// The current request, which the table keeps alive until it ends.
  private weak var flight: Flight?

  init(_ flights: FlightTable, _ connection: ConnectionRecord) {
    self.flights = flights
    self.connection = connection
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head):
      flight = head.headers.first(name: Self.markName).flatMap { flights.flight($0) }
      head.headers.remove(name: Self.markName)
      if let flight {
        // AsyncHTTPClient announces zero bytes with every method but a few, also where there is no content.
        if flight.plan.announcesNoLength { head.headers.remove(name: "Content-Length") }
        let isReused = connection.use()
        flight.willWrite(on: connection, isReused: isReused)
      }
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body(let bytes):
      let count = Int64(bytes.readableBytes)
      let promise = promise ?? context.eventLoop.makePromise(of: Void.self)
      if let flight { promise.futureResult.whenSuccess { flight.wrote(count) } }
      context.write(wrapOutboundOut(.body(bytes)), promise: promise)
    case .end:
      context.write(data, promise: promise)
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      if let error = flight?.willReceive(head) { return context.fireErrorCaught(error) }
    case .body(let bytes): flight?.willReceive(bytes.readableBytes)
    case .end(let trailers): flight?.willEnd(trailers)
    }
    context.fireChannelRead(data)
  }
}

/// What is known about a connection; only its event loop uses it.
final class ConnectionRecord {
  /// How long the handshake took; nil if AsyncHTTPClient made it, or there was none.
  let handshake: Duration?
  let localAddress: String?
  let remoteAddress: String?
  let version: ResponseHead.Version
  private var isUsed = false

  init(_ channel: any Channel, _ version: ResponseHead.Version, handshake: Duration?) {
    self.version = version
    self.handshake = handshake
    localAddress = channel.localAddress?.text
    remoteAddress = channel.remoteAddress?.text
  }

  /// Records a request, and returns whether there was one before.
  func use() -> Bool {
    defer { isUsed = true }
    return isUsed
  }
}

extension SocketAddress {
  /// The address and port; nil for a Unix socket.
  fileprivate var text: String? {
    guard let ipAddress, let port else { return nil }
    return ipAddress.contains(":") ? "[\(ipAddress)]:\(port)" : "\(ipAddress):\(port)"
  }
}
