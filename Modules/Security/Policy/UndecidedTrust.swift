public import CurlewCore

/// Refuses every server, so that the app is asked about each one.
///
/// Use it in apps that decide about certificates themselves, outside the handshake. It needs `ServerTrustAsking` in the
/// loader's chain, which asks, and a `challenge` hook, which answers; without them every `https` request fails. The hook can
/// let a `SecurityPolicy` judge the certificates that the server showed:
///
/// ```swift
/// let policy = try SecurityPolicy.system()
/// var settings = ExchangeSettings()
/// settings.serverTrust = UndecidedTrust()
/// settings.hooks.challenge = { challenge in
///   guard let trust = challenge.serverTrust?.trust else { return .defaultHandling }
///   return (try? policy.evaluate(trust)) == nil ? .reject : .use(.serverTrust(trust))
/// }
/// ```
public struct UndecidedTrust: ServerTrustEvaluating {
  /// A key of its own; no connection is ever opened under it.
  public let connectionKey = ConnectionKey("undecided")
  /// The requirements for handshakes.
  public let requirements: HandshakeRequirements

  /// Creates an evaluator that refuses every server.
  ///
  /// - Parameter requirements: The requirements for handshakes. By default plain `http` is refused, because it presents no
  ///   certificate about which the app could be asked.
  public init(requirements: HandshakeRequirements = HandshakeRequirements(refusesPlainHTTP: true)) {
    self.requirements = requirements
  }

  /// Refuses the server.
  ///
  /// - Throws: `ServerTrustError` with reason `policy`, always.
  public func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {
    throw ServerTrustError(.policy, message: "The app has not decided about this server's certificate.")
  }
}
