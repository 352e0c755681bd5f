import CurlewCore

/// The exit statuses of curl, for `%{exitcode}` and `--exit-as-curl`.
enum CurlStatus {
  /// Returns curl's status for a failure; 1 where curl has none.
  static func of(_ failure: FetchFailure) -> Int32 {
    if failure.trust == .pinMismatch { return 90 }
    switch (NetworkError.Kind(rawValue: failure.kind), failure.stage) {
    case (.connectionLost, .sending): return 55
    case (.connectionLost, .awaitingHead): return 52
    // What is sent cannot be read.
    case (.fileError, .sending), (.fileError, .preparing): return 26
    default: return byKind[failure.kind] ?? 1
    }
  }

  private static let byKind: [String: Int32] = [
    "invalid-url": 3, "invalid-request": 43, "unsupported": 4, "resource-exhausted": 27, "name-lookup-failed": 6,
    "connection-failed": 7, "network-not-allowed": 7, "connect-timed-out": 28, "handshake-failed": 35,
    "server-trust-refused": 60, "client-identity-failed": 58, "proxy-failed": 56, "proxy-challenge": 56,
    "connection-lost": 56, "idle-timed-out": 28, "timed-out": 28, "protocol-violation": 8, "header-limit-exceeded": 56,
    "stream-reset": 92, "truncated-body": 18, "body-too-large": 63, "content-decoding-failed": 61,
    "decoding-limit-exceeded": 61, "sink-failed": 23, "file-error": 23, "binary-output": 23, "target-exists": 23,
    "target-in-use": 23, "body-source-failed": 26, "body-not-replayable": 65, "too-many-redirects": 47,
    "invalid-redirect": 3, "unacceptable-status": 22, "authentication-failed": 94,
  ]

  /// All statuses that are given.
  static let all = Set(byKind.values).union([1, 26, 52, 55, 90])

  /// The statuses with their meaning, for the manual, in order.
  static let meanings: [(status: Int32, meaning: String)] = [
    (3, "the URL, or that of a redirect, cannot be used"), (4, "the loaded libcurl cannot do what was asked for"),
    (6, "the host was not found"), (7, "no connection to the host"), (8, "the answer is not HTTP"),
    (18, "the body ended too early"), (22, "the status is 400 or above"), (23, "the body cannot be written"),
    (26, "what is to be sent cannot be read"), (27, "memory or descriptors are used up"), (28, "a time limit"),
    (35, "the TLS handshake failed"), (43, "the request cannot be sent"), (47, "too many redirects"),
    (52, "the server ended the connection without an answer"), (55, "sending failed"),
    (56, "receiving failed, or a proxy refused"),
    (58, "the client's certificate"), (60, "the server's certificate is not trusted"),
    (61, "the body cannot be decoded"),
    (63, "the body is larger than --max-size"), (65, "the body cannot be sent twice"), (90, "a pin does not match"),
    (92, "the server reset the stream"), (94, "authentication failed"), (1, "any other failure"),
  ]
}
