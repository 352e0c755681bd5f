public import CurlewCore

extension URLSessionTransport {
  /// The limits and defaults of a transport, as a value.
  public struct Configuration: Sendable {
    /// Used where a request leaves a timeout unset: 60 s between bytes, no whole. A connect timeout means nothing here.
    public var timeouts = Timeouts(idle: .seconds(60))
    /// Requests at Foundation at once, 1…; more wait in order of priority. Waiting counts in no timeout.
    public var requestsAtOnce = 256
    /// Bytes of a body held ahead of its reader, 64 kB…16 MB; one more ends the transfer with `bufferLimitExceeded`.
    public var bodyBuffer = 16 * 1024 * 1024
    /// Fields of a header section, 1…10,000.
    public var headerFields = 1_000
    /// Informational heads before the final one, 0….
    public var informationalHeads = 100

    /// The defaults.
    public init() {}
  }
}
