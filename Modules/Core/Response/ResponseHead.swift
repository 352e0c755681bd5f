public import FoundationEssentials
public import HTTPTypes

/// The status line and header fields of a final response.
public struct ResponseHead: Sendable, Hashable {
  /// The HTTP version of a response.
  public enum Version: String, Sendable, Hashable, CaseIterable {
    /// HTTP/1.0.
    case http10 = "http/1.0"
    /// HTTP/1.1.
    case http11 = "http/1.1"
    /// HTTP/2.
    case http2 = "h2"
    /// HTTP/3.
    case http3 = "h3"
  }

  /// The source of a response.
  public enum Source: String, Sendable, Hashable, CaseIterable {
    /// The server.
    case network
    /// A cache, without asking the server.
    case cache
    /// A cache, after the server confirmed the stored response (304).
    ///
    /// A `Set-Cookie` in it comes from that confirmation.
    case validated
  }

  /// The URL of the request; after redirects, the last one.
  public var url: URL
  /// The status with the server's phrase, or the standard one if it sent none.
  public var status: HTTPResponse.Status
  /// The HTTP version; nil when the transport does not know it.
  public var version: Version?
  /// The header fields in order; repeated fields stay separate.
  public var headerFields: HTTPFields
  /// The number of bytes that the body will deliver.
  ///
  /// Nil when it was not announced, or a content coding was decoded.
  public var expectedLength: Int64?
  /// The source of the response; `network` unless a cache sets another.
  public var source = Source.network
  /// The content coding that was decoded; nil when the body is unchanged.
  ///
  /// When a coding is decoded, `Content-Encoding` and `Content-Length` are removed from the fields, because they
  /// describe the coded content, and their values are stored here. The other fields stay: `ETag`, `Content-Digest` and
  /// the ranges of a later request still refer to the coded content.
  public var undoneCoding: UndoneCoding?
  /// Whether the response is a 401 to a request with credentials, which were refused.
  package var refusesCredentials = false

  /// Creates a head whose expected length is the `Content-Length`, if valid.
  public init(
    url: URL, status: HTTPResponse.Status, version: Version? = nil, headerFields: HTTPFields = [:]
  ) {
    self.init(
      url: url, status: status, version: version, headerFields: headerFields,
      expectedLength: Self.announcedLength(headerFields))
  }

  /// Creates a head with an expected length that overrides its fields.
  public init(
    url: URL, status: HTTPResponse.Status, version: Version?, headerFields: HTTPFields, expectedLength: Int64?
  ) {
    self.url = url
    self.status = status
    self.version = version
    self.headerFields = headerFields
    self.expectedLength = expectedLength
  }

  private static func announcedLength(_ fields: HTTPFields) -> Int64? {
    guard let length = try? ContentLength(of: fields) else { return nil }
    return length.value
  }

  /// Records that the body was decoded, and removes fields about the coded content.
  package mutating func noteUndone(_ codings: [ContentCoding]) {
    undoneCoding = UndoneCoding(codings, codedLength: expectedLength)
    headerFields[.contentEncoding] = nil
    headerFields[.contentLength] = nil
    expectedLength = nil
  }

  /// The media type in `Content-Type`; nil when it is missing or invalid.
  public var mediaType: MediaType? { MediaType(of: headerFields) }

  /// The character set in `Content-Type`; nil when it is missing or invalid.
  public var charset: Charset? { mediaType?.charset }

  /// A safe file name, never a path.
  ///
  /// It comes from `Content-Disposition`, else from the URL, else it is `download`.
  public var suggestedFileName: String {
    SuggestedFileName(disposition: ContentDisposition(of: headerFields), url: url, mediaType: mediaType).value
  }
}
