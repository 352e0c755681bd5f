public import FoundationEssentials
public import HTTPTypes

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
