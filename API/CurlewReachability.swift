// swift-format-ignore-file
// The public interface of CurlewReachability, written by `swift package api-text`.

import CLinux
import CurlewCore
import FoundationEssentials
import Glibc
import HTTPTypes

public struct NetlinkRecording : Sendable, Hashable, CustomStringConvertible {

    public struct Batch : Sendable, Hashable {

        public var port: UInt32

        public var datagrams: [[UInt8]]

        public var isOverrun: Bool

        public init(port: UInt32, datagrams: [[UInt8]], isOverrun: Bool = false)
    }

    public var batches: [NetlinkRecording.Batch]

    public init(_ batches: [NetlinkRecording.Batch] = [])

    public init(_ text: String)

    public var description: String { get }

    public func paths(towards addresses: [String] = [], isExpensive: @escaping @Sendable (CurlewCore.NetworkInterface) -> Bool = { $0.kind == .cellular }) -> [CurlewCore.NetworkPath]
}

public struct NetworkProbe : Sendable {

    public enum Finding : Sendable {

        case online

        case captivePortal(CurlewCore.ResponseHead)

        case offline(any Error)
    }

    public var request: CurlewCore.Request

    public var status: HTTPTypes.HTTPResponse.Status

    public var body: Data?

    public init(_ request: CurlewCore.Request, status: HTTPTypes.HTTPResponse.Status = .noContent, body: Data? = nil)

    public func run(over transport: any CurlewCore.Transport, in exchange: CurlewCore.Exchange = Exchange()) async throws -> NetworkProbe.Finding
}

final public class ReachabilityMonitor : CurlewCore.ReachabilityMonitoring {

    public let target: ReachabilityTarget

    public init(_ target: ReachabilityTarget = .defaultRoute, configuration: ReachabilityMonitor.Configuration = Configuration())

    deinit

    public var path: CurlewCore.NetworkPath { get }

    public func changes() -> CurlewCore.NetworkPathChanges

    public var isMonitoring: Bool { get }

    public var source: ReachabilitySource { get }

    public func start()

    public func stop()
}

extension ReachabilityMonitor {

    public struct Configuration : Sendable {

        public var isExpensive: @Sendable (CurlewCore.NetworkInterface) -> Bool

        public var isConstrained: @Sendable (CurlewCore.NetworkInterface) -> Bool

        public var lookUp: @Sendable (String) throws -> [String]

        public var pollingInterval: Duration

        public var record: (@Sendable (NetlinkRecording.Batch) -> Void)?

        public init()
    }
}

public enum ReachabilitySource : Sendable, Hashable {

    case none

    case netlink

    case polling(step: String, code: Int32)
}

public enum ReachabilityTarget : Sendable, Hashable {

    case defaultRoute

    case host(String)
}
