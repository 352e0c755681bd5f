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
        .invalidURL, stage: .preparing, message: "The URL contains a space or a control character.",
        advice: "Percent-encode it.")
    }
    guard let url = URL(keepingEscapes: url) else {
      // Queries and fragments can hold secrets, and with an @ any part of a text that is no URL can be a password.
      let bare = url.unicodeScalars.prefix { $0 != "?" && $0 != "#" }
      let shown = url.utf8.contains(UInt8(ascii: "@")) ? "The text" : "\"\(String(bare).prefix(200))\""
      throw NetworkError(
        .invalidURL, stage: .preparing, message: "\(shown) is not a URL.",
        advice: "Write one such as https://example.com/path.")
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

/// A URL that is parsed on first use, for all copies of a request.
///
/// Cookies, credentials, the cache and the transport all need it; parsing the URL for each of them would cost more than
/// their own work.
package final class ParsedURL: Sendable {
  /// The result of parsing a URL.
  package final class Reading: Sendable {
    /// The origin.
    package let origin: Result<Origin, InvalidOriginError>
    /// The canonical URL; empty without an origin.
    ///
    /// Its origin is canonical, path and query are unchanged, the path is at least a slash, and there is no fragment.
    package let canonical: String
    /// Whether scheme and authority were already canonical.
    ///
    /// Then no two parsers can interpret them differently.
    package let isCanonicalAsWritten: Bool
    /// Whether the canonical URL is visible ASCII without a backslash.
    ///
    /// Then it is one word to every parser.
    package let isOneWord: Bool
    /// Whether the canonical URL ends with an empty query.
    package let endsWithQuestionMark: Bool

    fileprivate init(_ origin: Result<Origin, InvalidOriginError>, _ canonical: String, isCanonicalAsWritten: Bool) {
      self.origin = origin
      self.canonical = canonical
      self.isCanonicalAsWritten = isCanonicalAsWritten
      isOneWord = canonical.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }
      endsWithQuestionMark = canonical.hasSuffix("?")
    }
  }

  private let url: URL
  private let known = Guarded<Reading?>(nil)

  package init(_ url: URL) { self.url = url }

  package var reading: Reading { known.withLock { $0 } ?? read() }

  package var origin: Origin {
    get throws(InvalidOriginError) { try reading.origin.get() }
  }

  /// `Reading.canonical`; nil when the URL has no origin.
  package var canonical: String? {
    let text = reading.canonical
    return text.isEmpty ? nil : text
  }

  /// `Reading.isCanonicalAsWritten`.
  package var isCanonicalAsWritten: Bool { reading.isCanonicalAsWritten }

  /// The path and query of the canonical URL; nil when the URL has no origin.
  package var target: Substring? {
    guard let canonical, let origin = try? origin else { return nil }
    return Substring(canonical.utf8.dropFirst(origin.description.utf8.count))
  }

  private func read() -> Reading {
    let fresh: Reading
    do throws(InvalidOriginError) {
      fresh = Self.reading(url, try Origin(url))
    } catch {
      fresh = Reading(.failure(error), "", isCanonicalAsWritten: false)
    }
    known.withLock { $0 = fresh }
    return fresh
  }

  private static func reading(_ url: URL, _ origin: Origin) -> Reading {
    let text = url.absoluteString
    let prefix = origin.description
    let bytes = text.utf8Span.span
    var end = 0
    while end < bytes.count, bytes[end] != UInt8(ascii: ":") { end += 1 }
    // Skip "://", which a URL with an origin always contains.
    end = min(end + 3, bytes.count)
    while end < bytes.count, !endsAuthority(bytes[end]) { end += 1 }
    var fragment = end
    while fragment < bytes.count, bytes[fragment] != UInt8(ascii: "#") { fragment += 1 }
    let isCanonical = begins(bytes, with: prefix.utf8Span.span, upTo: end)
    let hasPath = end < fragment && bytes[end] == UInt8(ascii: "/")
    // Most URLs are already canonical.
    let canonical =
      isCanonical && hasPath && fragment == bytes.count
      ? text : prefix + (hasPath ? "" : "/") + String(text.fieldSlice(end..<fragment))
    return Reading(.success(origin), canonical, isCanonicalAsWritten: isCanonical)
  }

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  /// Returns whether the bytes up to an index begin with a prefix.
  private static func begins(_ bytes: Span<UInt8>, with prefix: Span<UInt8>, upTo end: Int) -> Bool {
    guard prefix.count == end else { return false }
    for place in 0..<end where bytes[place] != prefix[place] { return false }
    return true
  }
}
