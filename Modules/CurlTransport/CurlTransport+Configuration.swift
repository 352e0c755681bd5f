public import CurlewCore

extension CurlTransport {
  /// The limits and defaults of a transport, as a value; a number out of its range counts as the nearest in it.
  public struct Configuration: Sendable {
    /// Used where a request leaves a timeout unset: 30 s to connect, 60 s between bytes, no whole.
    public var timeouts = Timeouts(connect: .seconds(30), idle: .seconds(60), total: nil)
    /// Used where a request leaves its version unset.
    ///
    /// With `.automatic`, HTTP/2 is offered only on a libcurl that carries it reliably: 8.14.0 and later, without 8.16.
    /// `.http2` offers it on every libcurl that has it.
    public var version = VersionPolicy.automatic
    /// Decides on trust where an exchange has no evaluator of its own.
    public var defaultServerTrust: any ServerTrustEvaluating = SystemTrust()
    /// Requests on the wire to one origin at once, 1…; more wait in order of priority. Waiting counts in no timeout.
    public var requestsPerOrigin = 256
    /// Requests on the wire at once, 1…; nil is no limit.
    public var requestsInAll: Int?
    /// Connections kept, in use or idle, before idle ones are closed, 1….
    public var connectionsKept = 1024
    /// Bytes of a header section, trailers and 1xx heads included, 1 kB…256 kB.
    public var headerBytes = 256 * 1024
    /// Fields of a header section, 1…10,000.
    public var headerFields = 1_000
    /// Informational heads before the final one, 0….
    public var informationalHeads = 100
    /// Bytes of a body held for its reader before the socket is left alone, 16 kB….
    public var bodyBuffer = 256 * 1024
    /// How long `Expect: 100-continue` waits before the body is sent all the same, 1 ms…1 h.
    public var continueWait = Duration.seconds(1)

    /// Where a body's file is read; the system's but in this package's own tests.
    package var files: any FileSystem = LocalFileSystem()
    /// Which trust locks hold; all of them outside this package's own tests.
    package var trustLocks = TrustLockSwitches.all

    /// The defaults.
    public init() {}

    /// With each number in its range.
    var sensible: Configuration {
      var sensible = self
      sensible.requestsPerOrigin = max(1, requestsPerOrigin)
      sensible.requestsInAll = requestsInAll.map { max(1, $0) }
      sensible.connectionsKept = max(1, connectionsKept)
      sensible.headerBytes = min(max(1024, headerBytes), 256 * 1024)
      sensible.headerFields = min(max(1, headerFields), 10_000)
      sensible.informationalHeads = max(0, informationalHeads)
      sensible.bodyBuffer = max(16 * 1024, bodyBuffer)
      sensible.continueWait = min(max(.milliseconds(1), continueWait), .seconds(3600))
      return sensible
    }
  }
}
