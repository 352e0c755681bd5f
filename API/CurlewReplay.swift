// swift-format-ignore-file
// The public interface of CurlewReplay, written by `swift package api-text`.

import CurlewCore
import CurlewHAR
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

public enum Replay {

    public static var transport: ReplayTransport { get throws(CurlewCore.NetworkError) }

    public static func path(of name: String, beside file: String) -> String
}

public struct ReplayTrait : TestTrait, SuiteTrait, TestScoping {

    public var isRecursive: Bool { get }

    public func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws
}

final public class ReplayTransport : CurlewCore.Transport {

    public enum Mode : Sendable, Hashable {

        case replay

        case recordMissing

        case record
    }

    public struct Options : Sendable {

        public var matching: CurlewHAR.HARMatching

        public var keepsTimes: Bool

        public var recording: CurlewHAR.HARRecordingTransport.Options

        public var capabilities: CurlewCore.TransportCapabilities

        public init()
    }

    public let capabilities: CurlewCore.TransportCapabilities

    public convenience init(_ document: CurlewHAR.HARDocument, options: ReplayTransport.Options = Options())

    public convenience init(_ path: String, mode: ReplayTransport.Mode = .replay, over transport: (any CurlewCore.Transport)? = nil, options: ReplayTransport.Options = Options()) throws

    public var unused: [CurlewHAR.HAREntry] { get }

    public func send(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange) async throws -> CurlewCore.Response

    public func shutdown() async
}

public func withReplay<Value>(_ name: String, mode: ReplayTransport.Mode = .replay, options: ReplayTransport.Options = ReplayTransport.Options(), over transport: (any CurlewCore.Transport)? = nil, file: String = #filePath, _ body: @Sendable (ReplayTransport) async throws -> Value) async throws -> Value where Value : Sendable

extension Trait where Self == ReplayTrait {

    public static func replay(_ name: String, mode: ReplayTransport.Mode = .replay, options: ReplayTransport.Options = ReplayTransport.Options(), over transport: (@Sendable () throws -> any CurlewCore.Transport)? = nil, file: String = #filePath) -> ReplayTrait
}

extension NetworkError.Kind {

    public static let notRecorded: CurlewCore.NetworkError.Kind
}
