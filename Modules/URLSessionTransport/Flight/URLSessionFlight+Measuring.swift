import CurlewCore
import HTTPTypes

extension URLSessionFlight {
  /// Returns the byte counts and the duration; Foundation measures nothing itself.
  func measure(isWhole: Bool) -> ExchangeMetrics {
    let now = clock.now
    let state = shared.withLock { $0 }
    var metrics = ExchangeMetrics(attempt: exchange.attempt, hop: exchange.hop)
    metrics.bytesSent = upload?.handed ?? 0
    metrics.bytesDelivered = state.delivered
    // For a coded body, the bytes on the wire are known only if the length was announced and the body is complete.
    let coded = channel.head?.undoneCoding
    metrics.bytesReceived = coded.map { isWhole ? $0.codedLength ?? 0 : 0 } ?? state.delivered
    metrics.phases.total = state.startedAt.map { $0.duration(to: now) }
    metrics.phases.transfer = state.headAt.map { $0.duration(to: now) }
    return metrics
  }

  /// Reports the last byte counts and the metrics, after which nothing is reported.
  func reportEnd(_ metrics: ExchangeMetrics) {
    let head = channel.head
    reportUpload()
    if let head, head.undoneCoding == nil {
      outbox.tell(.received(bytes: metrics.bytesReceived, expected: head.expectedLength))
    }
    outbox.tell(.measured(metrics), isLast: true)
  }
}
