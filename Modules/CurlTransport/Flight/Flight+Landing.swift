import CLibcurl
import CurlewCore
import FoundationEssentials
import Glibc
import HTTPTypes

extension Flight {
  /// Comes off the wire: measures, lets go of the handle and tells how it ended.
  ///
  /// - Parameter ended: Whether libcurl ended it; else it is taken off in the middle.
  func landed(_ result: CURLcode, ended: Bool) {
    guard let easy else { return finish(failure ?? CancellationError()) }
    if ended { parser.finish() }
    measure(easy)
    let error = outcome(result, ended: ended)
    if !ended { forbidReuse() }
    curl_multi_remove_handle(loop.multi, easy)
    self.easy = nil
    upload?.stop()
    upload = nil
    if let lane { loop.origins.leave(plan.origin, plan.delivery, lane: lane) }
    if error == nil, result == CURLE_OK {
      loop.handles.give(easy)
    } else {
      curl_easy_cleanup(easy)
    }
    finish(error)
    sink = nil
  }

  // MARK: Measuring

  private func measure(_ easy: OpaquePointer) {
    metrics.connectionReused = reused
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
    guard exchange.isObserved, prereqCalls > 0 else { return }
    let now = monotonicNanoseconds()
    if !plan.request.body.isEmpty {
      reporter.sent(metrics.bytesSent, of: plan.request.body.length, at: now, isLast: true)
    }
    if sawHead { reporter.received(metrics.bytesReceived, at: now, isLast: true) }
  }

  @inline(never) private func measureConnection(_ easy: OpaquePointer) {
    let lookup = Self.offset(easy, CURLINFO_NAMELOOKUP_TIME_T)
    let connect = Self.offset(easy, CURLINFO_CONNECT_TIME_T)
    let secure = Self.offset(easy, CURLINFO_APPCONNECT_TIME_T)
    if lookup > 0 { metrics.phases.lookup = .microseconds(lookup) }
    if connect > lookup { metrics.phases.connect = .microseconds(connect - lookup) }
    if secure > connect { metrics.phases.tls = .microseconds(secure - connect) }
  }

  private func sentBytes(_ easy: OpaquePointer) -> Int64 {
    if plan.request.body.isEmpty { return 0 }
    return payload(of: Self.offset(easy, CURLINFO_SIZE_UPLOAD_T))
  }

  // MARK: How it ended

  private func outcome(_ result: CURLcode, ended: Bool) -> (any Error)? {
    if isCancelled { return CancellationError() }
    if let failure { return complete(failure, result) }
    guard ended else { return CancellationError() }
    if wasRefusedExpectation { return nil }
    guard result != CURLE_OK else {
      if sawHead { return wasCutOff ? complete(.cutOff, result) : nil }
      return complete(
        NetworkError(.protocolViolation, stage: .awaitingHead, message: "The connection ended without a response."),
        result)
    }
    return complete(FailureTable(self, result).error, result)
  }

  /// Whether the connection ended a body without the alert that says the server meant it (RFC 9112 §9.8).
  private var wasCutOff: Bool { endsWithConnection && seal.map { !$0.sawCloseNotify } ?? false }

  /// Adds what is known by now.
  private func complete(_ error: NetworkError, _ result: CURLcode) -> NetworkError {
    error.with { details in
      details.request = plan.request
      details.response = shared.withLock { $0.head }
      details.bytesSent = metrics.bytesSent
      details.bytesReceived = metrics.bytesReceived
      details.connectionReused = reused
      details.maybeProcessed = prereqCalls > 0 && (requestWasWritten || sawHead)
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
}
