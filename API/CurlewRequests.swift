// swift-format-ignore-file
// The public interface of CurlewRequests, written by `swift package api-text`.

import CurlewCore
import CurlewLoading
import CurlewSerialization
import FoundationEssentials
import HTTPTypes

public struct BaseURL : Sendable, Hashable, CustomStringConvertible {

    public let url: URL

    public let origin: CurlewCore.Origin

    public init(_ text: String) throws(CurlewCore.NetworkError)

    public init(_ url: URL) throws(CurlewCore.NetworkError)

    public func url(for path: String) throws(CurlewCore.NetworkError) -> URL

    public static func url(for path: String, relativeTo base: BaseURL?) throws(CurlewCore.NetworkError) -> URL

    public var description: String { get }

    public static func == (left: BaseURL, right: BaseURL) -> Bool

    public func hash(into hasher: inout Hasher)
}

extension BaseURL : Codable {

    public init(from decoder: any Decoder) throws

    public func encode(to encoder: any Encoder) throws
}

extension BaseURL : CustomReflectable {

    public var customMirror: Mirror { get }
}

public struct ComponentName<Component> : Sendable, Hashable, CustomStringConvertible where Component : Sendable {

    public let rawValue: String

    public init(_ rawValue: String)

    public var description: String { get }
}

extension ComponentName : Codable {

    public init(from decoder: any Decoder) throws

    public func encode(to encoder: any Encoder) throws
}

public struct ComponentNames : Sendable {

    public init()

    public subscript<Component>(name: ComponentName<Component>) -> Component? where Component : Sendable

    public func component<Component>(_ name: ComponentName<Component>) throws(CurlewCore.NetworkError) -> Component where Component : Sendable

    public func names<Component>(of type: Component.Type) -> [ComponentName<Component>] where Component : Sendable

    public func name<Component>(of component: Component) throws(CurlewCore.NetworkError) -> ComponentName<Component> where Component : Sendable
}

public struct RequestTemplate : Sendable {

    public var baseURL: BaseURL?

    public var serializer: any CurlewSerialization.RequestSerializer

    public var headerFields: HTTPTypes.HTTPFields

    public var secretOrigins: Set<CurlewCore.Origin>

    public var redaction: CurlewCore.Redaction

    public init(baseURL: BaseURL? = nil, serializer: (any CurlewSerialization.RequestSerializer)? = nil, headerFields: HTTPTypes.HTTPFields = [:])

    public func request(_ method: HTTPTypes.HTTPRequest.Method, _ path: String, _ parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], body: CurlewCore.Body = .empty, options: CurlewCore.RequestOptions = RequestOptions()) throws(CurlewCore.NetworkError) -> CurlewCore.Request

    public func request(_ method: HTTPTypes.HTTPRequest.Method, _ path: String, encoding value: some Encodable, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions()) throws(CurlewCore.NetworkError) -> CurlewCore.Request

    public func multipart(_ method: HTTPTypes.HTTPRequest.Method, _ path: String, _ parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), throttle: CurlewSerialization.MultipartForm.Throttle? = nil, build: @escaping @Sendable (inout CurlewSerialization.MultipartForm) throws -> Void) throws(CurlewCore.NetworkError) -> CurlewCore.Request
}

extension RequestTemplate : CustomReflectable {

    public var customMirror: Mirror { get }
}

extension DefaultStringInterpolation {

    public mutating func appendInterpolation(segment text: String) throws(CurlewCore.NetworkError)
}

extension NetworkError.Kind {

    public static let unknownComponent: CurlewCore.NetworkError.Kind
}

extension CodingUserInfoKey {

    public static let componentNames: CodingUserInfoKey
}

extension Decoder {

    public func component<Component>(_ name: ComponentName<Component>) throws(CurlewCore.NetworkError) -> Component where Component : Sendable
}

extension Encoder {

    public func name<Component>(of component: Component) throws(CurlewCore.NetworkError) -> ComponentName<Component> where Component : Sendable
}

extension Loader {

    public func value<Serializer>(for request: CurlewCore.Request, decoding serializer: Serializer, in exchange: CurlewCore.Exchange? = nil) async throws -> (Serializer.Output, CurlewCore.ResponseHead) where Serializer : CurlewSerialization.ResponseSerializer
}

extension Transfer.Configuration {

    public init(request: @escaping @Sendable (CurlewLoading.AttemptContext) async throws -> CurlewCore.Request, to sink: (any CurlewLoading.TransferSink)? = nil, decoding serializer: some CurlewSerialization.ResponseSerializer<Value>)

    public init(_ request: CurlewCore.Request, to sink: (any CurlewLoading.TransferSink)? = nil, decoding serializer: some CurlewSerialization.ResponseSerializer<Value>, settings: CurlewCore.ExchangeSettings? = nil)
}

extension Transfer {

    public convenience init(_ loader: CurlewLoading.Loader, _ request: CurlewCore.Request, decoding serializer: some CurlewSerialization.ResponseSerializer<Value>, settings: CurlewCore.ExchangeSettings? = nil)
}

extension NetworkError.Kind {

    public static let hookNeverAsked: CurlewCore.NetworkError.Kind
}

extension Loader {

    public func settings(answering hooks: CurlewCore.ExchangeHooks) throws(CurlewCore.NetworkError) -> CurlewCore.ExchangeSettings

    public func settings(answering callbacks: CurlewLoading.CallbackHooks, on executor: CurlewCore.CallbackExecutor) throws(CurlewCore.NetworkError) -> CurlewCore.ExchangeSettings
}
