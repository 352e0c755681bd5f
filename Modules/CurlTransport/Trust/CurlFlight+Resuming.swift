import CLibcurl
import CurlewCore

extension CurlFlight {
  /// Returns the error for a handshake that failed although it offered a session, and offers no more of them there.
  ///
  /// It is reported as a lost connection, after which `Loader` repeats the request with a full handshake. The server could
  /// have refused the session instead, but some servers end the connection.
  func failedResumption(_ result: CURLcode) -> NetworkError? {
    guard let offeredSession, !phase.isConnected else { return nil }
    switch result {
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING:
      loop.sessions.refuse(offeredSession)
      return NetworkError(
        .connectionLost, stage: .securing,
        message: "The TLS handshake failed after it offered an earlier session; the next one will offer none.")
    default:
      // Perhaps the server did not answer because of the session.
      loop.sessions.forget(offeredSession)
      return nil
    }
  }
}
