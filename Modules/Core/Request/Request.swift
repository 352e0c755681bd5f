public import FoundationEssentials
public import HTTPTypes

/// One HTTP request, as a value.
///
/// A request says what to ask and from which server; its `Exchange` says how it is sent (trust, proxy, observers).
/// An option that a request leaves unset is taken from the serializer's defaults, otherwise from the session's.
///
/// ```swift
/// var request = Request(.post, url)
/// request.headerFields[.contentType] = "application/json"
/// request.body = .bytes(json)
/// request.options.timeouts.total = .seconds(30)
/// ```
public struct Request: Sendable {
  @usableFromInline var storage: Storage

  /// Creates a request.
  public init(
    _ method: HTTPRequest.Method = .get, _ url: URL, headerFields: HTTPFields = [:], body: Body = .empty,
    options: RequestOptions = RequestOptions()
  ) {
    storage = Storage(method, url, ParsedURL(url), headerFields, body, options)
  }

  /// Creates a request for a URL given as text.
  ///
  /// Characters that a URL must not contain are an error and are not percent-encoded: a space, CR, LF or NUL in a URL
  /// is a mistake or an attack.
  ///
  /// - Throws: `NetworkError` of kind `invalidURL` when the text is not a URL.
  public init(_ method: HTTPRequest.Method = .get, _ url: String) throws(NetworkError) {
    guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw NetworkError(
        .invalidURL, stage: .preparing, message: "The URL contains a space or a control character; percent-encode it.")
    }
    guard let url = URL(string: url) else {
      // Queries and fragments can hold secrets, and with an @ any part of a text that is no URL can be a password.
      let shown = url.contains("@") ? "The text" : "\"\(url.prefix { $0 != "?" && $0 != "#" }.prefix(200))\""
      throw NetworkError(
        .invalidURL, stage: .preparing, message: "\(shown) is not a URL; write one such as https://example.com/path.")
    }
    self.init(method, url)
  }

  /// The origin of the URL, computed once for a request and its copies.
  ///
  /// - Throws: `InvalidOriginError`, which says which part of the URL is missing or wrong.
  public var origin: Origin { get throws(InvalidOriginError) { try parsedURL.origin } }

  /// The target of the request: the URL's path and query, byte for byte (RFC 9112 §3.2.1).
  ///
  /// It begins with a slash, also where the URL has no path, and has no fragment. A transport sends it after an origin of its
  /// own writing, so that no other parser can read another host from the URL.
  ///
  /// - Throws: `InvalidOriginError`, as `origin` does.
  public var target: String {
    get throws(InvalidOriginError) {
      _ = try parsedURL.origin
      return String(parsedURL.target ?? "/")
    }
  }

  /// The parsed URL, shared with copies.
  package var parsedURL: ParsedURL { storage.parsedURL }

  /// Whether the method is idempotent (RFC 9110 §9.2.2).
  ///
  /// `options.isIdempotent` overrides it.
  public var isIdempotent: Bool {
    if let isIdempotent = options.isIdempotent { return isIdempotent }
    switch method {
    case .get, .head, .put, .delete, .options, .trace: return true
    default: return false
    }
  }
}

extension Request: CustomStringConvertible {
  /// The method and the redacted URL, without fields and body.
  public var description: String { "\(method.rawValue) \(Redaction.standard.redacted(url))" }
}

// A request is a single reference, which is copied on write: each interceptor, each waiting frame and each transfer in
// flight holds one.

extension Request {
  /// The method, which may be any token (RFC 9110 §9.1).
  public var method: HTTPRequest.Method {
    @inlinable get { storage.method }
    @inlinable _modify {
      makeUnique()
      yield &storage.method
    }
  }

  /// The absolute `http` or `https` URL. A fragment is never sent.
  public var url: URL {
    @inlinable get { storage.url }
    @inlinable _modify {
      makeUnique()
      defer { storage.locate() }
      yield &storage.url
    }
  }

  /// The header fields in order; repeated fields stay separate.
  public var headerFields: HTTPFields {
    @inlinable get { storage.headerFields }
    @inlinable _modify {
      makeUnique()
      yield &storage.headerFields
    }
  }

  /// The content.
  public var body: Body {
    @inlinable get { storage.body }
    @inlinable _modify {
      makeUnique()
      yield &storage.body
    }
  }

  /// The options; unset ones take the loader's defaults.
  public var options: RequestOptions {
    @inlinable get { storage.options }
    @inlinable _modify {
      makeUnique()
      yield &storage.options
    }
  }

  @inlinable mutating func makeUnique() {
    if !isKnownUniquelyReferenced(&storage) { storage = storage.copy() }
  }

  // Safe because a request only changes it while it holds the only reference.
  @usableFromInline final class Storage: @unchecked Sendable {
    @usableFromInline var method: HTTPRequest.Method
    @usableFromInline var url: URL
    private(set) var parsedURL: ParsedURL
    @usableFromInline var headerFields: HTTPFields
    @usableFromInline var body: Body
    @usableFromInline var options: RequestOptions

    init(
      _ method: HTTPRequest.Method, _ url: URL, _ parsedURL: ParsedURL, _ headerFields: HTTPFields, _ body: Body,
      _ options: RequestOptions
    ) {
      self.method = method
      self.url = url
      self.parsedURL = parsedURL
      self.headerFields = headerFields
      self.body = body
      self.options = options
    }

    @usableFromInline func copy() -> Storage { Storage(method, url, parsedURL, headerFields, body, options) }

    /// Discards the parsed form of the previous URL.
    @usableFromInline func locate() { parsedURL = ParsedURL(url) }
  }
}
