// swift-format-ignore-file
// The public interface of CurlewCurlTransport, written by `swift package api-text`.

import CLibcurl
import COpenSSL
import CurlewCore
import CurlewStorage
import FoundationEssentials
import Glibc
import HTTPTypes

final public class CurlTransport : CurlewCore.DuplexTransport {

    public let capabilities: CurlewCore.TransportCapabilities

    public static var libraryVersion: String { get }

    public var executor: any TaskExecutor { get }

    public init(_ configuration: CurlTransport.Configuration = Configuration()) throws(CurlewCore.NetworkError)

    public static func capabilities(of configuration: CurlTransport.Configuration = Configuration()) -> CurlewCore.TransportCapabilities

    nonisolated(nonsending) public func send(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange) async throws -> CurlewCore.Response

    nonisolated(nonsending) public func connect(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange) async throws -> CurlewCore.DuplexConnection

    public func shutdown() async
}

extension CurlTransport {

    public struct Configuration : Sendable {

        public var timeouts: CurlewCore.Timeouts

        public var version: CurlewCore.VersionPolicy

        public var defaultServerTrust: any CurlewCore.ServerTrustEvaluating

        public var requestsPerOrigin: Int

        public var requestsInAll: Int?

        public var connectionsKept: Int

        public var headerBytes: Int

        public var headerFields: Int

        public var informationalHeads: Int

        public var bodyBuffer: Int

        public var network: (any CurlewCore.ReachabilityMonitoring)?

        public var continueWait: Duration

        public var keyLogPath: String?

        public init()
    }
}

public struct SystemTrust : CurlewCore.ServerTrustEvaluating {

    public init()

    public var connectionKey: CurlewCore.ConnectionKey { get }

    public func evaluate(_ trust: CurlewCore.ServerTrust) throws(CurlewCore.ServerTrustError)
}

extension Transport where Self == CurlTransport {

    public static func curl(_ configuration: CurlTransport.Configuration = CurlTransport.Configuration()) throws(CurlewCore.NetworkError) -> CurlTransport
}
