public import CurlewCore

extension URLSessionTransport {
  /// The limits and defaults of a transport, as a value.
  public struct Configuration: Sendable {
    /// The timeouts for requests that leave them unset.
    ///
    /// By default 60 s without a byte, and no total timeout. A connect timeout has no effect.
    public var timeouts = Timeouts(idle: .seconds(60))
    /// The most simultaneous requests, 1 or more.
    ///
    /// Further requests wait in order of priority. The wait counts in no timeout.
    public var requestsAtOnce = 256
    /// The most bytes of a body to buffer for its reader, 64 kB…16 MB.
    ///
    /// Beyond it the transfer fails with `bufferLimitExceeded`.
    public var bodyBuffer = 16 * 1024 * 1024
    /// The most fields of a header section, 1…10,000.
    public var headerFields = 1_000
    /// The most informational heads before the final one, 0 or more.
    public var informationalHeads = 100

    /// Creates the default configuration.
    public init() {}
  }
}
