import CurlewCore

/// The progress of an upload that is still to be reported, without I/O.
package struct UploadReport: Sendable {
  /// Creates an empty report.
  package init() {}

  private var total: Int64 = 0
  private var expected: Int64?
  private var told: Int64 = 0
  private var isQueued = false
  private var isClosed = false

  /// Records the number of bytes so far.
  ///
  /// - Returns: Whether to schedule a report; at most one is scheduled at a time.
  package mutating func take(_ bytes: Int64, expected: Int64?) -> Bool {
    guard !isClosed, bytes > told else { return false }
    total = bytes
    self.expected = expected
    defer { isQueued = true }
    return !isQueued
  }

  /// Returns the next report; nil if the progress was already reported.
  package mutating func tell() -> (bytes: Int64, total: Int64, expected: Int64?)? {
    isQueued = false
    guard !isClosed, total > told else { return nil }
    defer { told = total }
    return (total - told, total, expected)
  }

  /// Starts over, because the body is sent again.
  package mutating func restart() {
    told = 0
    total = 0
  }

  /// Ends the reports.
  package mutating func close() { isClosed = true }
}

/// Receives the number of sent bytes from the transport's events.
final class ConnectionUpload: EventObserver {
  private let relay: ConnectionRelay

  init(_ relay: ConnectionRelay) { self.relay = relay }

  /// Returns true: numbers contain no secrets, and redaction would copy each request.
  var wantsSecrets: Bool { true }

  func observe(_ event: ExchangeEvent) {
    switch event.kind {
    case .sending: relay.beginSending()
    case .sent(let bytes, let expected): relay.sent(bytes, expected: expected)
    default: break
    }
  }
}
