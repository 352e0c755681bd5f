import CLibcurl
import CurlewCore
import FoundationEssentials
import Glibc
import HTTPTypes

extension CurlFlight {
  /// Ends the transfer: measures it, returns the handle and reports the outcome.
  ///
  /// - Parameter ended: Whether libcurl ended it; otherwise it is removed while it runs.
  func landed(_ result: CURLcode, ended: Bool) {
    guard let easy else { return finish(isCancelled ? CancellationError() : unsent, metrics) }
    let metrics = measured(easy)
    let error = outcome(result, ended: ended)
    if !ended { forbidReuse() }
    noteSilence(error)
    if error == nil, result == CURLE_OK, version != .http2 {
      seal?.isResting = true
      loop.sockets.rest(easy, at: connectionPlace)
    }
    curl_multi_remove_handle(loop.multi, easy)
    self.easy = nil
    stopUpload()
    if pauses.contains(.reader), plan.delivery == .collected, let lane {
      loop.origins.setPaused(false, plan.origin, lane: lane)
    }
    leaveLane()
    if error == nil, result == CURLE_OK {
      loop.handles.give(easy)
    } else {
      curl_easy_cleanup(easy)
    }
    finish(error, metrics)
  }

  // MARK: Measuring

  /// The metrics as far as this flight knows them.
  var metrics: ExchangeMetrics {
    var metrics = ExchangeMetrics(attempt: exchange.attempt, hop: exchange.hop)
    let left = takenOffAt > 0 ? takenOffAt : monotonicNanoseconds()
    metrics.phases.queue = .nanoseconds(Int64(clamping: left &- queuedAt))
    metrics.version = version
    metrics.tlsVersion = tlsVersion
    metrics.connectionReused = reused
    metrics.localAddress = connectionPlace.local
    metrics.remoteAddress = connectionPlace.remote
    metrics.bytesDelivered = bytesDelivered
    metrics.longestCallback = max(longestCallback, channel.longestSinkCall)
    return metrics
  }

  /// Returns the metrics with what libcurl knows, and reports the last progress.
  func measured(_ easy: EasyHandle) -> ExchangeMetrics {
    var metrics = metrics
    metrics.bytesReceived = Self.offset(easy, CURLINFO_SIZE_DOWNLOAD_T)
    metrics.headerBytesReceived = Int64(parser.bytes)
    metrics.bytesSent = sentBytes(easy)
    if reused == false { Self.measureConnection(easy, &metrics.phases) }
    let first = Self.offset(easy, CURLINFO_STARTTRANSFER_TIME_T)
    if first > 0 {
      let ready = Self.offset(easy, CURLINFO_PRETRANSFER_TIME_T)
      metrics.phases.firstByte = .microseconds(max(0, first - ready))
      metrics.phases.transfer = .microseconds(max(0, Self.offset(easy, CURLINFO_TOTAL_TIME_T) - first))
    }
    metrics.phases.total = .nanoseconds(Int64(clamping: monotonicNanoseconds() &- takenOffAt))
    guard exchange.isObserved, phase.isConnected else { return metrics }
    reportUpload()
    if phase.hasHead { reporter.received(metrics.bytesReceived, at: monotonicNanoseconds(), isLast: true) }
    return metrics
  }

  /// Reports how much of the body was sent, even soon after the last report.
  func reportUpload() {
    guard let easy, !plan.request.body.isEmpty else { return }
    reporter.sent(sentBytes(easy), of: plan.request.body.length, at: monotonicNanoseconds(), isLast: true)
  }

  private static func measureConnection(_ easy: EasyHandle, _ phases: inout ExchangeMetrics.Phases) {
    let lookup = offset(easy, CURLINFO_NAMELOOKUP_TIME_T)
    let connect = offset(easy, CURLINFO_CONNECT_TIME_T)
    let secure = offset(easy, CURLINFO_APPCONNECT_TIME_T)
    if lookup > 0 { phases.lookup = .microseconds(lookup) }
    if connect > lookup { phases.connect = .microseconds(connect - lookup) }
    if secure > connect { phases.tls = .microseconds(secure - connect) }
  }

  private func sentBytes(_ easy: EasyHandle) -> Int64 {
    if plan.request.body.isEmpty { return 0 }
    return payload(of: Self.offset(easy, CURLINFO_SIZE_UPLOAD_T))
  }

  // MARK: The outcome

  /// The error of a request that was never passed to libcurl.
  private var unsent: any Error {
    failure?.with { $0.request = plan.request } ?? CancellationError()
  }

  private func outcome(_ result: CURLcode, ended: Bool) -> (any Error)? {
    if isCancelled { return CancellationError() }
    if let failure { return complete(failure, result) }
    guard ended else { return CancellationError() }
    guard result != CURLE_OK else {
      // A truncated head is useless, so it counts as a lost connection.
      guard phase.hasHead else { return complete(lostConnection(), result) }
      if reset == 0 { return complete(StreamReset.error(0, .receivingBody), result) }
      // libcurl may have read another framing in the head.
      guard phase.isWhole(bytesDelivered) ?? true else { return complete(.truncated, result) }
      return wasCutOff ? complete(.cutOff, result) : nil
    }
    if hasWholeAnswer(result) { return nil }
    return complete(FailureTable(self, result).error, result)
  }

  /// Whether the connection broke while the request was sent, after a response had arrived completely.
  ///
  /// A server may answer early and close (RFC 9112 §9.6). It is whole if it has its announced length.
  private func hasWholeAnswer(_ result: CURLcode) -> Bool {
    guard !plan.request.body.isEmpty, result == CURLE_SEND_ERROR || result == CURLE_RECV_ERROR else { return false }
    return phase.isWhole(bytesDelivered) ?? false
  }

  /// Whether the connection ended a body without the TLS alert that must precede it.
  ///
  /// The alert shows that the server, not an attacker, ended the connection (RFC 9112 §9.8).
  private var wasCutOff: Bool {
    phase == .receivingBody(until: .connection) && seal.map { !$0.sawCloseNotify } ?? false
  }

  /// Adds the request, the response and the metrics to an error.
  private func complete(_ error: NetworkError, _ result: CURLcode) -> NetworkError {
    error.with { details in
      details.request = plan.request
      details.response = channel.head
      details.bytesSent = easy.map(sentBytes) ?? 0
      details.bytesReceived = easy.map { Self.offset($0, CURLINFO_SIZE_DOWNLOAD_T) } ?? 0
      details.connectionReused = reused
      details.maybeProcessed = phase.isConnected && !isUnprocessed(error) && (requestWasWritten || phase.hasHead)
      if result != CURLE_OK { details.transportCode = Int(result.rawValue) }
    }
  }

  /// Whether any byte of the request may have reached the server.
  private var requestWasWritten: Bool {
    if wroteBeforeLoss { return true }
    guard let easy else { return true }
    return Self.number(easy, CURLINFO_REQUEST_SIZE) > 0 || sentBytes(easy) > 0
  }

  /// The error for a connection that was lost before a head.
  func lostConnection() -> NetworkError {
    if let easy { wroteBeforeLoss = Self.number(easy, CURLINFO_REQUEST_SIZE) > 0 }
    return NetworkError(
      .connectionLost, stage: .awaitingHead, message: "The server closed the connection before it answered.")
  }

  /// The error for a kept connection that was closed before the request was written.
  var staleConnection: NetworkError {
    NetworkError(
      .connectionLost, stage: .sending,
      message: "The kept connection was closed or received unrequested bytes, before anything of the request was sent.")
  }
}
