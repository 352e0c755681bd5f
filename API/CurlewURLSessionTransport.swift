// swift-format-ignore-file
// The public interface of CurlewURLSessionTransport, written by `swift package api-text`.

import CurlewCore
import Dispatch
import Foundation
import FoundationEssentials
import FoundationNetworking
import HTTPTypes

final public class URLSessionTransport : CurlewCore.Transport {

    public let capabilities: CurlewCore.TransportCapabilities

    public init(_ configuration: URLSessionTransport.Configuration = Configuration())

    public func send(_ request: CurlewCore.Request, in exchange: CurlewCore.Exchange) async throws -> CurlewCore.Response

    public func shutdown() async
}

extension URLSessionTransport {

    public struct Configuration : Sendable {

        public var timeouts: CurlewCore.Timeouts

        public var requestsAtOnce: Int

        public var bodyBuffer: Int

        public var headerFields: Int

        public var informationalHeads: Int

        public init()
    }
}

extension Transport where Self == URLSessionTransport {

    public static func urlSession(_ configuration: URLSessionTransport.Configuration = URLSessionTransport.Configuration()) -> URLSessionTransport
}
