#if AsyncHTTPClient
import AsyncHTTPClient
import CurlewCore
import NIOCore
import NIOTLS

/// Waits for the end of a connection's handshake, as long as the connect timeout.
///
/// Until then it keeps errors from AsyncHTTPClient, which learns of the outcome through the promise.
final class HandshakeWatch: ChannelInboundHandler {
  typealias InboundIn = Any

  private var done: EventLoopPromise<Void>?
  private let timeout: TimeAmount
  private var timer: Scheduled<Void>?

  private static let closed = NetworkError(
    .handshakeFailed, stage: .securing, message: "The connection was closed during the TLS handshake.")

  init(_ done: EventLoopPromise<Void>, within timeout: TimeAmount) {
    self.done = done
    self.timeout = timeout
  }

  func handlerAdded(context: ChannelHandlerContext) {
    guard context.channel.isActive else { return end(.failure(Self.closed)) }
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) {
      self.end(.failure(HTTPClientError.tlsHandshakeTimeout))
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { end(.failure(Self.closed)) }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted? = event as? TLSUserEvent { end(.success(())) }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end(.failure(Self.closed))
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard done != nil else { return context.fireErrorCaught(error) }
    end(.failure(error))
  }

  /// Reports the outcome, once.
  private func end(_ outcome: Result<Void, any Error>) {
    guard let done else { return }
    self.done = nil
    timer?.cancel()
    timer = nil
    done.completeWith(outcome)
  }
}
#endif
