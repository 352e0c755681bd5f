import CLibcurl
import CurlewCore
import FoundationEssentials
import Glibc
import HTTPTypes

extension CurlFlight {
  /// Comes off the wire: measures, lets go of the handle and tells how it ended.
  ///
  /// - Parameter ended: Whether libcurl ended it; else it is taken off in the middle.
  func landed(_ result: CURLcode, ended: Bool) {
    guard let easy else { return finish(isCancelled ? CancellationError() : unsent) }
    if ended { parser.finish() }
    measure(easy)
    let error = outcome(result, ended: ended)
    if !ended { forbidReuse() }
    if error == nil, result == CURLE_OK, metrics.version != .http2 {
      seal?.isResting = true
      loop.sockets.rest(easy, at: connectionPlace)
    }
    curl_multi_remove_handle(loop.multi, easy)
    self.easy = nil
    stopUpload()
    if pauses.contains(.reader), plan.delivery == .collected, let lane {
      loop.origins.setPaused(false, plan.origin, lane: lane)
    }
    if let lane { loop.origins.leave(plan.origin, plan.delivery, lane: lane) }
    if error == nil, result == CURLE_OK {
      loop.handles.give(easy)
    } else {
      curl_easy_cleanup(easy)
    }
    finish(error)
  }

  // MARK: Measuring

  private func measure(_ easy: EasyHandle) {
    metrics.connectionReused = reused
    metrics.longestCallback = max(metrics.longestCallback, channel.longestSinkCall)
    metrics.bytesReceived = Self.offset(easy, CURLINFO_SIZE_DOWNLOAD_T)
    metrics.headerBytesReceived = Int64(parser.bytes)
    metrics.bytesSent = sentBytes(easy)
    if reused == false { measureConnection(easy) }
    let first = Self.offset(easy, CURLINFO_STARTTRANSFER_TIME_T)
    if first > 0 {
      let ready = Self.offset(easy, CURLINFO_PRETRANSFER_TIME_T)
      metrics.phases.firstByte = .microseconds(max(0, first - ready))
      metrics.phases.transfer = .microseconds(max(0, Self.offset(easy, CURLINFO_TOTAL_TIME_T) - first))
    }
    metrics.phases.total = .nanoseconds(Int64(clamping: monotonicNanoseconds() &- takenOffAt))
    guard exchange.isObserved, phase.isConnected else { return }
    reportUpload()
    if phase.hasHead { reporter.received(metrics.bytesReceived, at: monotonicNanoseconds(), isLast: true) }
  }

  /// Tells how much of the request's body went, however short the last time ago is.
  func reportUpload() {
    guard let easy, !plan.request.body.isEmpty else { return }
    reporter.sent(sentBytes(easy), of: plan.request.body.length, at: monotonicNanoseconds(), isLast: true)
  }

  @inline(never) private func measureConnection(_ easy: EasyHandle) {
    let lookup = Self.offset(easy, CURLINFO_NAMELOOKUP_TIME_T)
    let connect = Self.offset(easy, CURLINFO_CONNECT_TIME_T)
    let secure = Self.offset(easy, CURLINFO_APPCONNECT_TIME_T)
    if lookup > 0 { metrics.phases.lookup = .microseconds(lookup) }
    if connect > lookup { metrics.phases.connect = .microseconds(connect - lookup) }
    if secure > connect { metrics.phases.tls = .microseconds(secure - connect) }
  }

  private func sentBytes(_ easy: EasyHandle) -> Int64 {
    if plan.request.body.isEmpty { return 0 }
    return payload(of: Self.offset(easy, CURLINFO_SIZE_UPLOAD_T))
  }

  // MARK: How it ended

  /// Why it never took off.
  private var unsent: any Error {
    failure?.with { $0.request = plan.request } ?? CancellationError()
  }

  private func outcome(_ result: CURLcode, ended: Bool) -> (any Error)? {
    if isCancelled { return CancellationError() }
    if let failure { return complete(failure, result) }
    guard ended else { return CancellationError() }
    guard result != CURLE_OK else {
      // A head that is cut leaves nothing to go by: the connection was lost.
      guard phase.hasHead else {
        return complete(reset == .refused ? Self.refusedStream : lostConnection(), result)
      }
      if reset == .withoutError { return complete(Self.cutByReset, result) }
      return wasCutOff ? complete(.cutOff, result) : nil
    }
    return complete(FailureTable(self, result).error, result)
  }

  /// Whether the connection ended a body without the alert that says the server meant it (RFC 9112 §9.8).
  private var wasCutOff: Bool {
    phase == .receivingBody(endsWithConnection: true) && seal.map { !$0.sawCloseNotify } ?? false
  }

  /// Adds what is known by now.
  private func complete(_ error: NetworkError, _ result: CURLcode) -> NetworkError {
    error.with { details in
      details.request = plan.request
      details.response = channel.head
      details.bytesSent = metrics.bytesSent
      details.bytesReceived = metrics.bytesReceived
      details.connectionReused = reused
      details.maybeProcessed = phase.isConnected && reset != .refused && (requestWasWritten || phase.hasHead)
      if result != CURLE_OK { details.transportCode = Int(result.rawValue) }
    }
  }

  /// Whether any byte of the request may have reached the server.
  private var requestWasWritten: Bool {
    if wroteBeforeLoss { return true }
    guard let easy else { return true }
    return Self.number(easy, CURLINFO_REQUEST_SIZE) > 0 || metrics.bytesSent > 0
  }

  /// The connection went away before a head came.
  func lostConnection() -> NetworkError {
    if let easy { wroteBeforeLoss = Self.number(easy, CURLINFO_REQUEST_SIZE) > 0 }
    return NetworkError(
      .connectionLost, stage: .awaitingHead, message: "The server closed the connection before it answered.")
  }

  /// The kept connection that libcurl chose turned out to be closed, and nothing was written to it.
  var staleConnection: NetworkError {
    NetworkError(
      .connectionLost, stage: .sending,
      message: "The kept connection was closed, or bytes came on it unasked; nothing of the request was sent.")
  }
}
