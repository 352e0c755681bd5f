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
    var phases = metrics.phases
    let lookup = Self.offset(easy, CURLINFO_NAMELOOKUP_TIME_T)
    let connect = Self.offset(easy, CURLINFO_CONNECT_TIME_T)
    let secure = Self.offset(easy, CURLINFO_APPCONNECT_TIME_T)
    let first = Self.offset(easy, CURLINFO_STARTTRANSFER_TIME_T)
    let total = Self.offset(easy, CURLINFO_TOTAL_TIME_T)
    if reused == false {
      if lookup > 0 { phases.lookup = .microseconds(lookup) }
      if connect > lookup { phases.connect = .microseconds(connect - lookup) }
      if secure > connect { phases.tls = .microseconds(secure - connect) }
    }
    if first > 0 {
      phases.firstByte = .microseconds(max(0, first - Self.offset(easy, CURLINFO_PRETRANSFER_TIME_T)))
      phases.transfer = .microseconds(max(0, total - first))
    }
    phases.total = .nanoseconds(Int64(clamping: monotonicNanoseconds() &- takenOffAt))
    metrics.phases = phases
    guard exchange.isObserved, prereqCalls > 0 else { return }
    let now = monotonicNanoseconds()
    if !plan.request.body.isEmpty {
      reporter.sent(metrics.bytesSent, of: plan.request.body.length, at: now, isLast: true)
    }
    if sawHead { reporter.received(metrics.bytesReceived, at: now, isLast: true) }
  }

  private func sentBytes(_ easy: OpaquePointer) -> Int64 {
    let written = Self.offset(easy, CURLINFO_SIZE_UPLOAD_T)
    return payload(of: written)
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
