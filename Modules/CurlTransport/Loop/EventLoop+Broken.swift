import CurlewCore
import Glibc

/// Ends HTTP/2 connections on which the server has violated the protocol.
///
/// After a connection error the connection must be closed (RFC 9113 §5.4.1). libcurl sends GOAWAY and ignores what follows, but can
/// leave the connection open and its requests waiting until a timeout, unless the server causes another event.
extension EventLoop {
  /// The nanoseconds after libcurl has worked until its messages are looked at.
  ///
  /// So the messages of many requests are looked at once for many events.
  private static let inspectionDelay: UInt64 = 20_000_000

  /// Schedules a look at libcurl's messages, if there was ever an HTTP/2 connection.
  ///
  /// libcurl can read a frame at one call and find at another that it ends the connection.
  func scheduleInspection() {
    if nextInspection == nil, sockets.hasSpokenHTTP2 { nextInspection = now &+ Self.inspectionDelay }
  }

  /// Shuts down the connections of requests for which libcurl has reported a violation; libcurl then ends all their requests.
  ///
  /// The descriptor of a Unix socket is unknown, so there the timeout remains.
  func endBroken() {
    nextInspection = nil
    for flight in running where flight.sawViolation {
      if let descriptor = sockets.descriptor(at: flight.connectionPlace) { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }
}

extension CurlFlight {
  /// Whether libcurl has reported a violation of RFC 9113 by the server, although the transfer goes on.
  fileprivate var sawViolation: Bool {
    guard let errorText, errorText.pointee != 0, speaksHTTP2 else { return false }
    return StreamReset.isViolation(words)
  }
}
