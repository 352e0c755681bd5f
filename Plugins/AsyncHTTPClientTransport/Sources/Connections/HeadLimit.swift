#if AsyncHTTPClient
import CurlewCore
import NIOCore

/// Ends a connection whose server sends bytes without end before a head.
///
/// SwiftNIO limits each field, but not a status line.
final class HeadLimit: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let most: Int
  /// The bytes since the request was written; nil once its head has arrived.
  private var count: Int?

  init(_ most: Int) { self.most = most }

  /// Waits for the head of another request.
  func begin() { count = 0 }

  /// Stops counting, because the head has arrived.
  func end() { count = nil }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if let count {
      let sum = count + unwrapInboundIn(data).readableBytes
      guard sum <= most else {
        return context.fireErrorCaught(NetworkError.headerLimit("The header section has more than \(most) bytes."))
      }
      self.count = sum
    }
    context.fireChannelRead(data)
  }
}
#endif
