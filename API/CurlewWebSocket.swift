// swift-format-ignore-file
// The public interface of CurlewWebSocket, written by `swift package api-text`.

import COpenSSL
import CZlib
import CurlewCore
import CurlewLoading
import CurlewSerialization
import CurlewSession
import FoundationEssentials
import Glibc
import HTTPTypes
import Synchronization

public struct ReconnectingMessages : AsyncSequence, Sendable {

    public typealias Element = WebSocketMessage

    public func makeAsyncIterator() -> ReconnectingMessages.Iterator

    public struct Iterator : AsyncIteratorProtocol {

        public mutating func next() async throws -> WebSocketMessage?
    }
}

final public class ReconnectingWebSocket : Sendable {

    public var messages: ReconnectingMessages { get }

    public var current: WebSocket? { get }

    public func send(_ message: WebSocketMessage) async throws

    public func send(_ text: String) async throws

    @discardableResult
    public func close(_ code: WebSocketCloseCode = .normal, reason: String = "") async throws -> WebSocketClosure?

    public func receive() async throws -> WebSocketMessage?
}

final public class WebSocket : Sendable {

    public let response: CurlewCore.ResponseHead

    public let metrics: [CurlewCore.ExchangeMetrics]

    public let subprotocol: String?

    public let isCompressed: Bool

    deinit

    public var messages: WebSocketMessages { get }

    nonisolated(nonsending) public func receive() async throws -> WebSocketMessage?

    nonisolated(nonsending) public func send(_ text: String) async throws

    nonisolated(nonsending) public func send(_ data: Data) async throws

    nonisolated(nonsending) public func send(_ message: WebSocketMessage) async throws

    @discardableResult
    nonisolated(nonsending) public func ping() async throws -> Duration

    nonisolated(nonsending) public func send(_ value: some Encodable & Sendable, by coding: (any CurlewSerialization.ValueCoding)? = nil) async throws

    public func messages<Value>(as type: Value.Type, by coding: (any CurlewSerialization.ValueCoding)? = nil) -> WebSocketValues<Value> where Value : Decodable, Value : Sendable

    public var closure: WebSocketClosure? { get }

    @discardableResult
    nonisolated(nonsending) public func close(_ code: WebSocketCloseCode = .normal, reason: String = "") async throws -> WebSocketClosure?

    public func cancel()
}

public struct WebSocketCloseCode : RawRepresentable, Sendable, Hashable, CustomStringConvertible {

    public var rawValue: UInt16

    public init(rawValue: UInt16)

    public var description: String { get }

    public static let normal: WebSocketCloseCode

    public static let goingAway: WebSocketCloseCode

    public static let protocolError: WebSocketCloseCode

    public static let unsupportedData: WebSocketCloseCode

    public static let noCode: WebSocketCloseCode

    public static let abnormal: WebSocketCloseCode

    public static let invalidPayload: WebSocketCloseCode

    public static let policyViolation: WebSocketCloseCode

    public static let messageTooLarge: WebSocketCloseCode

    public static let missingExtension: WebSocketCloseCode

    public static let internalError: WebSocketCloseCode

    public static let serviceRestart: WebSocketCloseCode

    public static let tryAgainLater: WebSocketCloseCode

    public var mayBeSent: Bool { get }
}

public struct WebSocketClosure : Sendable, Hashable {

    public var code: WebSocketCloseCode

    public var reason: String

    public init(_ code: WebSocketCloseCode, reason: String = "")
}

public struct WebSocketCompression : Sendable, Hashable {

    public var serverWindowBits: Int

    public var clientWindowBits: Int

    public var serverKeepsContext: Bool

    public var clientKeepsContext: Bool

    public var level: Int

    public var leastBytes: Int

    public init()
}

public struct WebSocketLimits : Sendable, Hashable {

    public var messageBytes: Int

    public var frameBytes: Int

    public var framesPerMessage: Int

    public var bufferedBytes: Int

    public init()
}

public enum WebSocketMessage : Sendable, Hashable {

    case text(String)

    case binary(Data)

    public var data: Data { get }

    public var count: Int { get }
}

public struct WebSocketMessages : AsyncSequence, Sendable {

    public typealias Element = WebSocketMessage

    public func makeAsyncIterator() -> WebSocketMessages.Iterator

    public struct Iterator : AsyncIteratorProtocol {

        nonisolated(nonsending) public mutating func next() async throws -> WebSocketMessage?
    }
}

public struct WebSocketOptions : Sendable {

    public var subprotocols: [String]

    public var compression: WebSocketCompression?

    public var limits: WebSocketLimits

    public var idleLimit: Duration?

    public var closeTimeout: Duration

    public init()
}

public struct WebSocketReconnection : Sendable {

    public var retry: CurlewLoading.RetryPolicy

    public var codes: Set<WebSocketCloseCode>

    public var fruitlessLimit: Int?

    public var delay: Duration

    public var longestDelay: Duration

    public var random: @Sendable () -> Double

    public var resume: @Sendable (_ socket: WebSocket, _ number: Int) async throws -> Void

    public init(resume: @escaping @Sendable (_ socket: WebSocket, _ number: Int) async throws -> Void = { _, _ in })
}

public struct WebSocketValues<Value> : AsyncSequence, Sendable where Value : Decodable, Value : Sendable {

    public typealias Element = Value

    public func makeAsyncIterator() -> WebSocketValues<Value>.Iterator

    public struct Iterator : AsyncIteratorProtocol {

        nonisolated(nonsending) public mutating func next() async throws -> Value?
    }
}

public struct WebSocketViolation : Error, Sendable, Hashable, CustomStringConvertible {

    public let code: WebSocketCloseCode

    public let description: String
}

extension WebSocketViolation : LocalizedError {

    public var errorDescription: String? { get }
}

extension HTTPSession {

    public func webSocket(_ path: String, parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), webSocket: WebSocketOptions = WebSocketOptions()) async throws -> WebSocket
}

extension HTTPSession {

    public func reconnectingWebSocket(_ path: String, parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), webSocket: WebSocketOptions = WebSocketOptions(), reconnection: WebSocketReconnection = WebSocketReconnection()) -> ReconnectingWebSocket
}
