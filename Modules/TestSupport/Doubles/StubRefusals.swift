import CurlewCore

/// What every transport refuses before a byte is sent.
enum StubRefusals {
  static func check(
    _ request: Request, in exchange: Exchange, _ capabilities: TransportCapabilities
  ) throws(NetworkError) {
    do throws(OriginError) {
      _ = try Origin(request.url)
    } catch {
      throw NetworkError(
        .invalidURL, stage: .preparing, message: "The URL cannot be asked.", underlying: error)
    }
    let missing = TransportCapabilities.required(by: request, in: exchange).subtracting(capabilities)
    guard missing.isEmpty else {
      throw NetworkError(
        .unsupported, stage: .preparing,
        message: "The stub lacks \(missing.names.joined(separator: ", "))."
      ).with { $0.missing = missing }
    }
    let timeouts = request.options.timeouts
    for timeout in [timeouts.connect, timeouts.idle, timeouts.total] {
      guard let timeout, timeout <= .zero else { continue }
      throw NetworkError(
        .invalidRequest, stage: .preparing, message: "A timeout must be longer than nothing.")
    }
  }
}
