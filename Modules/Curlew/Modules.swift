// What `import Curlew` brings: everything that an app needs every day, without Foundation.
//
// CurlewDigests, CurlewReachability, CurlewStorage, CurlewTestSupport and CurlewURLSessionTransport are imported by name. So is
// CurlewOperations: `Operation` is a type of full Foundation, and re-exported here it would make each program that imports Curlew
// load Foundation, with its internationalization, for one line of JSON. CurlewSessionManagers is imported by name for the same
// reason (`NotificationCenter`, `DispatchQueue`). So a manager is always given its configuration; `SessionConfiguration()` of this
// module makes the usual one: `HTTPSessionManager(baseURL: base, SessionConfiguration())`.
//
// XML and YAML are traits of the package, which are on by default: an app that turns them off needs neither libxml2 nor libyaml.

@_exported public import CurlewBatch
@_exported public import CurlewContentCoding
@_exported public import CurlewCore
@_exported public import CurlewCurlTransport
@_exported public import CurlewDownload
@_exported public import CurlewImageBytes
@_exported public import CurlewJSON
@_exported public import CurlewLoading
@_exported public import CurlewRequests
@_exported public import CurlewSecurity
@_exported public import CurlewSerialization
@_exported public import CurlewSession
@_exported public import HTTPTypes

#if XML
@_exported public import CurlewXML
#endif
#if YAML
@_exported public import CurlewYAML
#endif
