import CurlewCore

/// What is to be told of an upload, however slowly it is taken; pure.
package struct UploadReport: Sendable {
  /// Creates a report of nothing.
  package init() {}

  private var total: Int64 = 0
  private var expected: Int64?
  private var told: Int64 = 0
  private var isQueued = false
  private var isClosed = false

  /// Takes the count so far.
  ///
  /// - Returns: Whether a call is to be queued; there is never more than one.
  package mutating func take(_ bytes: Int64, expected: Int64?) -> Bool {
    guard !isClosed, bytes > told else { return false }
    total = bytes
    self.expected = expected
    defer { isQueued = true }
    return !isQueued
  }

  /// The news; nil when there is none.
  package mutating func tell() -> (bytes: Int64, total: Int64, expected: Int64?)? {
    isQueued = false
    guard !isClosed, total > told else { return nil }
    defer { told = total }
    return (total - told, total, expected)
  }

  /// The body is sent once more.
  package mutating func restart() {
    told = 0
    total = 0
  }

  /// Nothing is told any more.
  package mutating func close() { isClosed = true }
}

/// Takes the bytes sent from the transport's events.
final class ConnectionUpload: EventObserver {
  private let relay: ConnectionRelay

  init(_ relay: ConnectionRelay) { self.relay = relay }

  /// Numbers need no redaction, which would cost a copy of each request.
  var wantsSecrets: Bool { true }

  func observe(_ event: ExchangeEvent) {
    switch event.kind {
    case .sending: relay.beginSending()
    case .sent(let bytes, let expected): relay.sent(bytes, expected: expected)
    default: break
    }
  }
}
