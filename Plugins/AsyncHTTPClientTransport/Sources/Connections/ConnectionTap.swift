#if AsyncHTTPClient
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
  /// The limit of a connection of HTTP/1.1; HTTP/2 has its own.
  private let limit: HeadLimit?
  /// Whether the current request is not written, because its connection is stale.
  private var isRefusing = false

  init(_ flights: FlightTable, _ connection: ConnectionRecord, _ limit: HeadLimit?) {
    self.flights = flights
    self.connection = connection
    self.limit = limit
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head):
      flight = head.headers.first(name: Self.markName).flatMap { flights.flight($0) }
      head.headers.remove(name: Self.markName)
      let isReused = connection.use()
      isRefusing = isReused && limit != nil && StaleConnection.hasUnreadBytes(context.channel)
      guard !isRefusing else { return refuse(context, promise) }
      flight?.complete(&head)
      flight?.willWrite(on: connection, isReused: isReused)
      limit?.begin()
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case _ where isRefusing: promise?.fail(ChannelError.ioOnClosedChannel)
    case .body(let bytes):
      let count = Int64(bytes.readableBytes)
      let promise = promise ?? context.eventLoop.makePromise(of: Void.self)
      if let flight { promise.futureResult.whenSuccess { flight.wrote(count) } }
      context.write(wrapOutboundOut(.body(bytes)), promise: promise)
    case .end:
      context.write(data, promise: promise)
    }
  }

  /// Ends a request before it is written.
  private func refuse(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
    promise?.fail(ChannelError.ioOnClosedChannel)
    context.fireErrorCaught(StaleConnectionError())
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      // The version of a connection is negotiated; a status line does not change it.
      guard connection.version == .http2 || head.version.major == 1 else {
        return context.fireErrorCaught(
          NetworkError(
            .protocolViolation, stage: .awaitingHead,
            message: "The status line names HTTP/\(head.version.major), which was not negotiated on this connection."))
      }
      if !head.isInformational { limit?.end() }
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

extension HTTPResponseHead {
  /// Whether another head follows (RFC 9110 §15.2).
  var isInformational: Bool { (100...199).contains(status.code) && status != .switchingProtocols }
}
#endif
