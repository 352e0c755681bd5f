// swift-format-ignore-file
// The public interface of Curlew, written by `swift package api-text`.

import CurlewBatch
import CurlewContentCoding
import CurlewCore
import CurlewCurlTransport
import CurlewDownload
import CurlewImageBytes
import CurlewJSON
import CurlewLoading
import CurlewRequests
import CurlewSecurity
import CurlewSerialization
import CurlewSession
import CurlewXML
import CurlewYAML
import HTTPTypes

extension Batch {

    public convenience init(over session: CurlewSession.HTTPSession, store: any CurlewBatch.BatchStore = MemoryBatchStore()) throws
}

extension SessionConfiguration {

    public init()
}

extension HTTPSession {

    public init(baseURL: String, _ change: (inout CurlewSession.SessionConfiguration) throws -> Void = { _ in }) throws

    public init()
}

extension HTTPSession {

    public func jsonLines<Value>(_ path: String, as type: Value.Type, method: HTTPTypes.HTTPRequest.Method = .get, content: CurlewSession.RequestContent = .none, parameters: CurlewSerialization.Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), records: CurlewJSON.JSONRecordOptions = JSONRecordOptions()) -> CurlewJSON.JSONRecordSequence<CurlewSession.ResponseChunks, Value> where Value : Decodable, Value : Sendable
}

extension RequestContent {

    public func gzipped(level: Int = 6) -> CurlewSession.RequestContent
}

extension RequestContent {

    public static func json(_ value: some Encodable & Sendable) -> CurlewSession.RequestContent
}
