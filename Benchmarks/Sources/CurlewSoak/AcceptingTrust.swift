import CurlewCore

/// Trusts every certificate: the servers here are this script's own.
struct AcceptingTrust: ServerTrustEvaluating {
  var connectionKey: ConnectionKey { ConnectionKey("soak: accepts everything") }
  func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {}

  static var settings: ExchangeSettings {
    var settings = ExchangeSettings()
    settings.serverTrust = AcceptingTrust()
    return settings
  }
}
