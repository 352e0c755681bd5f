import CurlewCore
import HTTPTypes

extension URLSessionFlight {
  /// What is known of a sending: bytes, and the time it took. Foundation measures nothing.
  func measure(isWhole: Bool) -> ExchangeMetrics {
    let now = clock.now
    let state = shared.withLock { $0 }
    var metrics = ExchangeMetrics(attempt: exchange.attempt, hop: exchange.hop)
    metrics.bytesSent = upload?.handed ?? 0
    metrics.bytesDelivered = state.delivered
    // Of a coded body the bytes on the wire are known only when it was announced and came whole.
    let coded = channel.head?.undoneCoding
    metrics.bytesReceived = coded.map { isWhole ? $0.codedLength ?? 0 : 0 } ?? state.delivered
    metrics.phases.total = state.startedAt.map { $0.duration(to: now) }
    metrics.phases.transfer = state.headAt.map { $0.duration(to: now) }
    return metrics
  }

  /// The last counts and the record; nothing is told afterwards.
  func reportEnd(_ metrics: ExchangeMetrics) {
    let head = channel.head
    reportUpload()
    if let head, head.undoneCoding == nil {
      outbox.tell(.received(bytes: metrics.bytesReceived, expected: head.expectedLength))
    }
    outbox.tell(.measured(metrics), isLast: true)
  }
}
