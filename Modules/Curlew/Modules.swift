// What `import Curlew` brings: the types that an app names in its source, and HTTPTypes. Members, initializers and values such as
// `.json` come with their modules, whether or not the name of their type does.
//
// The rule: an app's source names it, in one of its tasks (TASKS.md, the gallery), or an error that a call throws is of this type.
// What only an option is passed as (`.init()`, `.replace`) needs no name, and what the authors of transports, stores and parsers name
// is imported from its module. The limit is 150 types with those nested in them (`Scripts/house-figures`). Names.swift has the plain
// words, such as `Request`, which other modules have too.
//
// Modules with none of these types are imported by name: CurlewDigests, CurlewReachability, CurlewStorage, CurlewTestSupport and
// CurlewURLSessionTransport. So is CurlewOperations: `Operation` is a type of full Foundation, and re-exported here it would make each
// program that imports Curlew load Foundation, with its internationalization, for one line of JSON. CurlewSessionManagers is imported
// by name for the same reason (`NotificationCenter`, `DispatchQueue`). So a manager is always given its configuration;
// `SessionConfiguration()` of this module makes the usual one: `HTTPSessionManager(baseURL: base, SessionConfiguration())`.
//
// XML and YAML are traits of the package, which are on by default: an app that turns them off needs neither libxml2 nor libyaml.
//
// The names are in groups by task, so the order of a file's imports is not that of the formatter:
// swift-format-ignore-file: OrderedImports

@_exported public import HTTPTypes

// Sessions: requests, responses and settings.
@_exported public import struct CurlewCore.RequestOptions
@_exported public import struct CurlewCore.ResponseHead
@_exported public import struct CurlewCore.TransferProgress
@_exported public import class CurlewCurlTransport.CurlTransport
@_exported public import struct CurlewLoading.RetryPolicy
@_exported public import struct CurlewRequests.BaseURL
@_exported public import class CurlewSession.DataTask
@_exported public import struct CurlewSession.DecodedResponse
@_exported public import class CurlewSession.DownloadTask
@_exported public import struct CurlewSession.EventStreamOptions
@_exported public import struct CurlewSession.HTTPSession
@_exported public import struct CurlewSession.ProblemDetails
@_exported public import struct CurlewSession.RequestContent
@_exported public import struct CurlewSession.ServerSentEvent
@_exported public import struct CurlewSession.SessionConfiguration
@_exported public import class CurlewSession.UploadTask

// Interceptors and observers of a session's requests.
@_exported public import struct CurlewContentCoding.ContentDecoding
@_exported public import protocol CurlewCore.EventObserver
@_exported public import struct CurlewCore.ExchangeEvent
@_exported public import class CurlewCore.TransportRegistry
@_exported public import class CurlewLoading.ConcurrencyLimit
@_exported public import struct CurlewLoading.EnvironmentProxies
@_exported public import struct CurlewLoading.HSTS
@_exported public import class CurlewLoading.HSTSHosts
@_exported public import struct CurlewLoading.InterceptorChain

// Cookies and the cache.
@_exported public import struct CurlewLoading.DiskCacheStore
@_exported public import class CurlewLoading.FileCookieJar
@_exported public import class CurlewLoading.MemoryCacheStore
@_exported public import class CurlewLoading.MemoryCookieJar

// Certificates, pins and evaluators of trust.
@_exported public import struct CurlewCore.ClientIdentity
@_exported public import struct CurlewCore.ConnectionKey
@_exported public import struct CurlewCore.HandshakeRequirements
@_exported public import struct CurlewCore.ServerTrust
@_exported public import protocol CurlewCore.ServerTrustEvaluating
@_exported public import struct CurlewSecurity.HostPolicies
@_exported public import struct CurlewSecurity.PublicKeyPin
@_exported public import struct CurlewSecurity.SecurityPolicy
@_exported public import struct CurlewSecurity.TrustReport

// Tokens and OAuth 2.
@_exported public import struct CurlewSecurity.BearerToken
@_exported public import struct CurlewSecurity.OAuth2Client
@_exported public import struct CurlewSecurity.OAuth2DeviceCode
@_exported public import struct CurlewSecurity.OAuth2Token
@_exported public import struct CurlewSecurity.OAuth2TokenFile
@_exported public import class CurlewSecurity.TokenSource

// Downloads and batches.
@_exported public import struct CurlewBatch.BatchItem
@_exported public import struct CurlewBatch.BatchOutcome
@_exported public import struct CurlewBatch.BatchProduct
@_exported public import struct CurlewBatch.BatchRules
@_exported public import class CurlewBatch.MemoryBatchStore
@_exported public import struct CurlewDownload.DownloadConfiguration
@_exported public import struct CurlewDownload.DownloadResult
@_exported public import typealias CurlewDownload.Downloader
@_exported public import struct CurlewDownload.ExpectedDigest

// Formats and serializers.
@_exported public import struct CurlewImageBytes.EncodedImage
@_exported public import struct CurlewJSON.JSONCoding
@_exported public import struct CurlewJSON.JSONRecordOptions
@_exported public import enum CurlewJSON.JSONValue
@_exported public import enum CurlewSerialization.CharsetDecoder
@_exported public import protocol CurlewSerialization.ResponseSerializer
@_exported public import struct CurlewSerialization.ResponseValidation
@_exported public import protocol CurlewSerialization.ValueCoding

// Errors.
@_exported public import struct CurlewBatch.BatchError
@_exported public import struct CurlewContentCoding.ContentEncodingError
@_exported public import struct CurlewCore.FileSystemError
@_exported public import struct CurlewCore.InvalidOriginError
@_exported public import struct CurlewCore.NetworkError
@_exported public import struct CurlewCore.ServerTrustError
@_exported public import struct CurlewJSON.JSONError
@_exported public import struct CurlewJSON.JSONRecordError
@_exported public import struct CurlewSecurity.CredentialStoreError
@_exported public import struct CurlewSecurity.OAuth2Error
@_exported public import struct CurlewSecurity.SecurityError
@_exported public import struct CurlewSerialization.CharsetError
@_exported public import struct CurlewSerialization.ParametersError
@_exported public import struct CurlewSession.LineTooLongError
#if XML
@_exported public import struct CurlewXML.CanonicalXMLError
@_exported public import struct CurlewXML.XMLError
@_exported public import struct CurlewXML.XMLWritingError
@_exported public import struct CurlewXML.XPath
@_exported public import struct CurlewXML.XPathError
#endif
#if YAML
@_exported public import struct CurlewYAML.YAMLError
@_exported public import enum CurlewYAML.YAMLValue
#endif
