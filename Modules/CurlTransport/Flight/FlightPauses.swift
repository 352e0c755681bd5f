import CLibcurl

/// The reasons why libcurl currently moves no bytes of a transfer.
struct FlightPauses: OptionSet, Sendable, Hashable {
  let rawValue: UInt8

  /// The reader of the response is too slow.
  static let reader = FlightPauses(rawValue: 1 << 0)
  /// The request's body has no bytes, waits for `100 Continue`, or is paused.
  static let upload = FlightPauses(rawValue: 1 << 1)
  /// The response exceeded its rate limit.
  static let receiveLimit = FlightPauses(rawValue: 1 << 2)
  /// The request's body exceeded its rate limit.
  static let sendLimit = FlightPauses(rawValue: 1 << 3)

  /// The pauses that end after some time, without an event.
  static let limits: FlightPauses = [.receiveLimit, .sendLimit]

  /// The paused directions, as a mask for `curl_easy_pause`.
  var mask: Int32 {
    (isDisjoint(with: [.reader, .receiveLimit]) ? 0 : CURLPAUSE_RECV)
      | (isDisjoint(with: [.upload, .sendLimit]) ? 0 : CURLPAUSE_SEND)
  }
}
