import CLibcurl

/// Why libcurl moves no bytes of a transfer at the moment. Pure.
struct FlightPauses: OptionSet, Sendable, Hashable {
  let rawValue: UInt8

  /// The reader of the response is behind.
  static let reader = FlightPauses(rawValue: 1 << 0)
  /// The request's body has no bytes yet, waits for `100 Continue`, or its request is paused.
  static let upload = FlightPauses(rawValue: 1 << 1)
  /// The response came faster than its rate limit.
  static let receiveLimit = FlightPauses(rawValue: 1 << 2)
  /// The request's body went faster than its rate limit.
  static let sendLimit = FlightPauses(rawValue: 1 << 3)

  /// Those that end with time alone.
  static let limits: FlightPauses = [.receiveLimit, .sendLimit]

  /// The directions that wait, as `curl_easy_pause` takes them.
  var mask: Int32 {
    (isDisjoint(with: [.reader, .receiveLimit]) ? 0 : CURLPAUSE_RECV)
      | (isDisjoint(with: [.upload, .sendLimit]) ? 0 : CURLPAUSE_SEND)
  }
}
