// The plain words among the names that `import Curlew` brings: types that other modules are likely to have too, such as the `Request` of
// Hummingbird or the `Certificate` of swift-certificates.
//
// The compiler prefers a name that is re-exported by itself, as in Modules.swift, to one of a module that is imported whole. So a
// re-exported `Request` would silently replace that of an app's other module, and clash with Hummingbird's, which is re-exported
// too. An alias does neither: Hummingbird's wins, another module's makes an error, and `import struct Birds.Request` decides.

public import CurlewBatch
public import CurlewCore
public import CurlewLoading
public import CurlewSecurity
public import CurlewSerialization
public import CurlewSession

#if XML
public import CurlewXML
#endif

/// Answers challenges with passwords and tokens.
public typealias Authentication = CurlewSecurity.Authentication

/// Many downloads, requests and jobs, with dependencies, limits and one summary.
public typealias Batch = CurlewBatch.Batch

/// The body of a request.
public typealias Body = CurlewCore.Body

/// A private HTTP cache (RFC 9111).
public typealias Caching = CurlewLoading.Caching

/// A certificate of X.509.
public typealias Certificate = CurlewSecurity.Certificate

/// Stores the cookies of responses and sends them (RFC 6265).
public typealias Cookies = CurlewLoading.Cookies

/// What answers a challenge: a password or a token.
public typealias Credential = CurlewCore.Credential

/// One call of an API as a type: its path, method, content and result.
public typealias Endpoint = CurlewSession.Endpoint

/// The context of one logical request through all its attempts and hops.
public typealias Exchange = CurlewCore.Exchange

/// Processes a request before the transport does, and its response after.
public typealias Interceptor = CurlewCore.Interceptor

/// Sends one request through interceptors to a transport, and returns its response.
public typealias Loader = CurlewLoading.Loader

/// A media type, such as `application/json` (RFC 9110 §8.3.1).
public typealias MediaType = CurlewCore.MediaType

/// The rest of the chain, to which an interceptor passes a request on.
public typealias Next = CurlewCore.Next

/// The scheme, host and port of a URL (RFC 6454).
public typealias Origin = CurlewCore.Origin

/// Values for a query or a form.
public typealias Parameters = CurlewSerialization.Parameters

/// A proxy, and how to reach it.
public typealias Proxy = CurlewCore.Proxy

/// Follows redirects (RFC 9110 §15.4).
public typealias Redirect = CurlewLoading.Redirect

/// One HTTP request: its method, URL, fields, body and options.
public typealias Request = CurlewCore.Request

/// The head of a response, and its body, which is read as it arrives.
public typealias Response = CurlewCore.Response

/// How long a request may take.
public typealias Timeouts = CurlewCore.Timeouts

/// One logical request with progress, pause, retries and one outcome.
public typealias Transfer = CurlewLoading.Transfer

/// Sends one request to a server, once.
public typealias Transport = CurlewCore.Transport

#if XML
/// A parsed XML document.
public typealias XMLDocument = CurlewXML.XMLDocument

/// An element of an XML document.
public typealias XMLElement = CurlewXML.XMLElement
#endif
