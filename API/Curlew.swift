// swift-format-ignore-file
// The public interface of Curlew, written by `swift package api-text`.

import CurlewBatch
import struct CurlewBatch.BatchError
import struct CurlewBatch.BatchItem
import struct CurlewBatch.BatchOutcome
import struct CurlewBatch.BatchProduct
import struct CurlewBatch.BatchRules
import class CurlewBatch.MemoryBatchStore
import struct CurlewContentCoding.ContentDecoding
import struct CurlewContentCoding.ContentEncodingError
import CurlewCore
import struct CurlewCore.ClientIdentity
import struct CurlewCore.ConnectionKey
import protocol CurlewCore.EventObserver
import struct CurlewCore.ExchangeEvent
import struct CurlewCore.FileSystemError
import struct CurlewCore.HandshakeRequirements
import struct CurlewCore.InvalidOriginError
import struct CurlewCore.NetworkError
import struct CurlewCore.RequestOptions
import struct CurlewCore.ResponseHead
import struct CurlewCore.ServerTrust
import struct CurlewCore.ServerTrustError
import protocol CurlewCore.ServerTrustEvaluating
import struct CurlewCore.TransferProgress
import class CurlewCore.TransportRegistry
import class CurlewCurlTransport.CurlTransport
import struct CurlewDownload.DownloadConfiguration
import struct CurlewDownload.DownloadResult
import class CurlewDownload.Downloader
import struct CurlewDownload.ExpectedDigest
import struct CurlewImageBytes.EncodedImage
import CurlewJSON
import struct CurlewJSON.JSONCoding
import struct CurlewJSON.JSONError
import struct CurlewJSON.JSONRecordError
import struct CurlewJSON.JSONRecordOptions
import enum CurlewJSON.JSONValue
import CurlewLoading
import class CurlewLoading.ConcurrencyLimit
import struct CurlewLoading.DiskCacheStore
import struct CurlewLoading.EnvironmentProxies
import class CurlewLoading.FileCookieJar
import struct CurlewLoading.HSTS
import class CurlewLoading.HSTSHosts
import struct CurlewLoading.InterceptorChain
import class CurlewLoading.MemoryCacheStore
import class CurlewLoading.MemoryCookieJar
import struct CurlewLoading.RetryPolicy
import struct CurlewRequests.BaseURL
import CurlewSecurity
import struct CurlewSecurity.BearerToken
import struct CurlewSecurity.CredentialStoreError
import struct CurlewSecurity.HostPolicies
import struct CurlewSecurity.OAuth2Client
import struct CurlewSecurity.OAuth2DeviceCode
import struct CurlewSecurity.OAuth2Error
import struct CurlewSecurity.OAuth2Token
import struct CurlewSecurity.OAuth2TokenFile
import struct CurlewSecurity.PublicKeyPin
import struct CurlewSecurity.SecurityError
import struct CurlewSecurity.SecurityPolicy
import class CurlewSecurity.TokenSource
import struct CurlewSecurity.TrustReport
import CurlewSerialization
import enum CurlewSerialization.CharsetDecoder
import struct CurlewSerialization.CharsetError
import struct CurlewSerialization.ParametersError
import protocol CurlewSerialization.ResponseSerializer
import struct CurlewSerialization.ResponseValidation
import protocol CurlewSerialization.ValueCoding
import CurlewSession
import class CurlewSession.DataTask
import struct CurlewSession.DecodedResponse
import class CurlewSession.DownloadTask
import struct CurlewSession.EventStreamOptions
import struct CurlewSession.HTTPSession
import struct CurlewSession.LineTooLongError
import struct CurlewSession.ProblemDetails
import struct CurlewSession.RequestContent
import struct CurlewSession.ServerSentEvent
import struct CurlewSession.SessionConfiguration
import class CurlewSession.UploadTask
import CurlewXML
import struct CurlewXML.CanonicalXMLError
import struct CurlewXML.XMLError
import struct CurlewXML.XMLWritingError
import struct CurlewXML.XPath
import struct CurlewXML.XPathError
import struct CurlewYAML.YAMLError
import enum CurlewYAML.YAMLValue
import HTTPTypes

public typealias Authentication = CurlewSecurity.Authentication

public typealias Batch = CurlewBatch.Batch

public typealias Body = CurlewCore.Body

public typealias Caching = CurlewLoading.Caching

public typealias Certificate = CurlewSecurity.Certificate

public typealias Cookies = CurlewLoading.Cookies

public typealias Credential = CurlewCore.Credential

public typealias Endpoint = CurlewSession.Endpoint

public typealias Exchange = CurlewCore.Exchange

public typealias Interceptor = CurlewCore.Interceptor

public typealias Loader = CurlewLoading.Loader

public typealias MediaType = CurlewCore.MediaType

public typealias Next = CurlewCore.Next

public typealias Origin = CurlewCore.Origin

public typealias Parameters = CurlewSerialization.Parameters

public typealias Proxy = CurlewCore.Proxy

public typealias Redirect = CurlewLoading.Redirect

public typealias Request = CurlewCore.Request

public typealias Response = CurlewCore.Response

public typealias Timeouts = CurlewCore.Timeouts

public typealias Transfer = CurlewLoading.Transfer

public typealias Transport = CurlewCore.Transport

public typealias XMLDocument = CurlewXML.XMLDocument

public typealias XMLElement = CurlewXML.XMLElement

extension SessionConfiguration {

    public init()
}

extension HTTPSession {

    public init(baseURL: String, _ change: (inout CurlewSession.SessionConfiguration) throws -> Void = { _ in }) throws

    public init()
}

extension Batch {

    public convenience init(over session: CurlewSession.HTTPSession, store: any CurlewBatch.BatchStore = MemoryBatchStore()) throws
}

extension HTTPSession {

    public func jsonLines<Value>(_ path: String, as type: Value.Type, method: HTTPTypes.HTTPRequest.Method = .get, content: CurlewSession.RequestContent = .none, parameters: Parameters? = nil, headerFields: HTTPTypes.HTTPFields = [:], options: CurlewCore.RequestOptions = RequestOptions(), records: CurlewJSON.JSONRecordOptions = JSONRecordOptions()) -> CurlewJSON.JSONRecordSequence<CurlewSession.ResponseChunks, Value> where Value : Decodable, Value : Sendable
}

extension RequestContent {

    public static func json(_ value: some Encodable & Sendable) -> CurlewSession.RequestContent

    public static func json(_ members: KeyValuePairs<String, (any Encodable & Sendable)?>) -> CurlewSession.RequestContent
}

extension RequestContent {

    public func gzipped(level: Int = 6) -> CurlewSession.RequestContent
}
