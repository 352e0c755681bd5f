import CurlewCore

/// The checks of every transport before a byte is sent.
enum StubRefusals {
  static func check(
    _ request: Request, in exchange: Exchange, _ capabilities: TransportCapabilities
  ) throws(NetworkError) {
    _ = try RequestCheck.origin(of: request)
    try RequestCheck.validate(request, in: exchange, for: capabilities)
  }
}
