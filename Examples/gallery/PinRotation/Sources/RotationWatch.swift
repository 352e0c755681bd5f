import Curlew

/// Trusts as its policy does, and says when the server has moved on to a backup key: it is then time for an update of the app.
struct RotationWatch: ServerTrustEvaluating {
  let policy: SecurityPolicy
  /// Called in the handshake, on the transport's thread; it must not wait.
  let moved: @Sendable (PublicKeyPin) -> Void

  var connectionKey: ConnectionKey { policy.connectionKey }
  var requirements: HandshakeRequirements { policy.requirements }

  func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {
    guard let pin = try policy.verdict(on: trust).pin, pin.isBackup else { return }
    moved(pin.pin)
  }
}
