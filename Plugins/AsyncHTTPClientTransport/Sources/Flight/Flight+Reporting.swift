#if AsyncHTTPClient
import CurlewCore
import HTTPTypes
import NIOCore
import NIOHTTP1
import Synchronization

/// What the connection tells, on its event loop.
extension Flight {
  /// Corrects what AsyncHTTPClient would write otherwise.
  func complete(_ head: inout HTTPRequestHead) {
    // It was never given the target, so no second parser has changed it.
    head.uri = plan.target
    // AsyncHTTPClient announces zero bytes with most methods, also where there is no content.
    if plan.announcesNoLength { head.headers.remove(name: "Content-Length") }
  }

  /// Records that the request is about to be written.
  func willWrite(on connection: ConnectionRecord, isReused: Bool) {
    let now = clock.now
    state.withLock { state in
      state.connect(
        FlightState.Connection(
          isReused: isReused, localAddress: connection.localAddress, remoteAddress: connection.remoteAddress,
          handshake: connection.handshake, version: connection.version, readyAt: now))
    }
    outbox.tell(.connected(reused: isReused))
  }

  /// Records that the kernel has taken bytes of the request's body.
  func wrote(_ count: Int64) {
    let now = clock.now
    state.withLock { $0.write(count, at: now) }
    tookUpload(count)
    guard exchange.isObserved, reporters.withLock({ $0.sent.isDue(at: now) }) else { return }
    reportSent()
  }

  /// Records a head, and returns an error if a limit is exceeded.
  func willReceive(_ head: HTTPResponseHead) -> NetworkError? {
    let now = clock.now
    let limit = hub.configuration.informationalHeads
    let isFinal = !head.isInformational
    let isTooMany = state.withLock { state in
      state.receiveHead(head.headers.byteCount, isFinal: isFinal, upTo: limit, at: now)
    }
    guard !isTooMany else {
      return .headerLimit("More than \(limit) informational responses came before the final one.")
    }
    guard head.headers.count <= hub.configuration.headerFields else {
      return .headerLimit("The header section has more than \(hub.configuration.headerFields) fields.")
    }
    let reader = HeadReader(plan)
    guard isFinal else {
      outbox.tell(.informational(reader.head(head.status, head.version, head.headers)))
      return nil
    }
    do throws(NetworkError) { try reader.check(head) } catch { return error }
    return nil
  }

  /// Records bytes of the response's body.
  func willReceive(_ count: Int) {
    let now = clock.now
    state.withLock { $0.receive(count, at: now) }
  }

  /// Records the end of the response's body.
  func willEnd(_ trailers: HTTPHeaders?) {
    let fields = trailers.map { HTTPFields($0) }
    state.withLock { $0.trailers = fields }
  }
}

/// What the observers are told.
extension Flight {
  /// Reports how much of the body was sent, even soon after the last report.
  func reportSent() {
    guard exchange.isObserved else { return }
    let sent = state.withLock { $0.sent }
    guard !plan.request.body.isEmpty, reporters.withLock({ $0.sent.isNews(sent) }) else { return }
    outbox.tell(.sent(bytes: sent, expected: plan.request.body.length))
  }

  /// Reports how much of the response's body was passed on, at most ten times per second.
  func reportReceived() {
    guard exchange.isObserved, reporters.withLock({ $0.received.isDue(at: clock.now) }) else { return }
    let delivered = state.withLock { $0.delivered }
    outbox.tell(.received(bytes: delivered, expected: channel.head?.expectedLength))
  }

  /// Records and reports the measurements, after which nothing is reported.
  func report() -> ExchangeMetrics {
    let now = clock.now
    let metrics = state.withLock { $0.metrics(attempt: exchange.attempt, hop: exchange.hop, at: now) }
    exchange.record(metrics)
    reportSent()
    if let head = channel.head {
      outbox.tell(.received(bytes: metrics.bytesReceived, expected: head.expectedLength))
    }
    outbox.tell(.measured(metrics), isLast: true)
    return metrics
  }
}

extension NetworkError {
  static func headerLimit(_ message: String) -> NetworkError {
    NetworkError(.headerLimitExceeded, stage: .awaitingHead, message: message)
  }
}

extension HTTPHeaders {
  /// The bytes of the lines.
  fileprivate var byteCount: Int64 {
    reduce(2) { $0 + Int64($1.name.utf8.count + $1.value.utf8.count) + 4 }
  }
}
#endif
