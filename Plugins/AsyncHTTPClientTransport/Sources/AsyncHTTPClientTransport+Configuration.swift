#if AsyncHTTPClient
public import CurlewCore
public import NIOCore
import NIOPosix
public import NIOSSL

extension AsyncHTTPClientTransport {
  /// The limits and defaults of a transport, as a value.
  public struct Configuration: Sendable {
    /// The timeouts for requests that leave them unset.
    ///
    /// By default 10 s to connect, 60 s without a byte, and no total timeout.
    public var timeouts = Timeouts(connect: .seconds(10), idle: .seconds(60))
    /// The most simultaneous requests, 1 or more.
    ///
    /// Further requests wait in order of priority. The wait counts in no timeout. Over HTTP/1.1 it is also the most connections.
    public var requestsAtOnce = 256
    /// How long an unused connection stays open.
    public var idleConnections = Duration.seconds(60)
    /// The most bytes of a body to keep ready for its reader, 1 or more.
    ///
    /// A transfer can exceed it by one read of the socket. Beyond it, bytes stay in the socket.
    public var bodyBuffer = 65_536
    /// The most bytes of a header section over HTTP/1.1, 1 or more.
    ///
    /// SwiftNIO limits each field to 80 kB.
    public var headerBytes = 262_144
    /// The most fields of a header section, 1…10,000.
    public var headerFields = 1_000
    /// The most informational heads before the final one, 0 or more.
    public var informationalHeads = 100
    /// The anchors for requests without an evaluator; the default is the system's.
    ///
    /// A request's own evaluator decides alone, and does not read them.
    public var trustRoots = NIOSSLTrustRoots.default
    /// The event loops; the caller ends a group of its own after the transport.
    public var eventLoops: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton

    /// Creates the default configuration.
    public init() {}
  }
}
#endif
