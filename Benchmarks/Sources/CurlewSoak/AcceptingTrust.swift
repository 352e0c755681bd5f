import CurlewCore

/// Trusts every certificate, because all servers here belong to the script.
struct AcceptingTrust: ServerTrustEvaluating {
  var connectionKey: ConnectionKey { ConnectionKey("soak: accepts everything") }
  func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {}

  static var settings: ExchangeSettings {
    var settings = ExchangeSettings()
    settings.serverTrust = AcceptingTrust()
    return settings
  }
}
