#if AsyncHTTPClient
import CurlewCore
import NIOCore
import NIOHTTP1
import NIOHTTP2

/// Puts a tap on each connection before AsyncHTTPClient uses it.
///
/// A connection whose pipeline is not as expected is refused, because its requests would carry their marks to the server.
struct TapInstaller: Sendable {
  let flights: FlightTable
  /// The most bytes of a header section over HTTP/1.1.
  let headerBytes: Int

  /// Taps a connection of HTTP/1.1.
  func tapConnection(_ channel: any Channel, handshake: Duration?) -> EventLoopFuture<Void> {
    install(on: channel) { pipeline in
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
      let record = ConnectionRecord(channel, .http11, handshake: handshake)
      let limit = HeadLimit(headerBytes)
      try pipeline.addHandler(limit, position: .before(decoder))
      try pipeline.addHandler(ConnectionTap(flights, record, limit), position: .after(decoder))
    }
  }

  /// Marks a connection of HTTP/2, so that its streams share a record.
  func markConnection(_ channel: any Channel) -> EventLoopFuture<Void> {
    install(on: channel) { pipeline in
      try pipeline.addHandler(ConnectionMark(ConnectionRecord(channel, .http2, handshake: nil)))
    }
  }

  /// Taps a stream of HTTP/2.
  func tapStream(_ channel: any Channel) -> EventLoopFuture<Void> {
    install(on: channel) { pipeline in
      let codec = try pipeline.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)
      let mark = try channel.parent?.pipeline.syncOperations.handler(type: ConnectionMark.self)
      guard let mark else { throw ChannelPipelineError.notFound }
      try pipeline.addHandler(ConnectionTap(flights, mark.record, nil), position: .after(codec))
    }
  }

  /// Changes a pipeline, and closes the channel where that fails.
  private func install(
    on channel: any Channel, _ change: (ChannelPipeline.SynchronousOperations) throws -> Void
  ) -> EventLoopFuture<Void> {
    do {
      try change(channel.pipeline.syncOperations)
      return channel.eventLoop.makeSucceededVoidFuture()
    } catch {
      channel.close(promise: nil)
      return channel.eventLoop.makeFailedFuture(error)
    }
  }
}

/// Keeps the record of a connection of HTTP/2 in its pipeline.
private final class ConnectionMark: ChannelInboundHandler {
  typealias InboundIn = Any
  let record: ConnectionRecord

  init(_ record: ConnectionRecord) { self.record = record }
}
#endif
