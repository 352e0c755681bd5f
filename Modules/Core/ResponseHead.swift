public import FoundationEssentials
public import HTTPTypes

/// Status line and header fields of a final response.
public struct ResponseHead: Sendable, Hashable {
  /// The version that carried it.
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

  /// Who gave it.
  public enum Source: String, Sendable, Hashable, CaseIterable {
    /// The server, now.
    case network
    /// A cache, which asked nobody.
    case cache
    /// A cache, after the server said that what is stored is still right (304). A `Set-Cookie` in it is of now.
    case validated
  }

  /// The URL that was asked; after a redirect, the last one.
  public var url: URL
  /// The status with the phrase the server sent, or the standard one where it sent none.
  public var status: HTTPResponse.Status
  /// The version that carried it; nil when the transport does not know.
  public var version: Version?
  /// The header fields, in order, repeated ones kept apart.
  public var headerFields: HTTPFields
  /// How many bytes `ResponseBody` will deliver; nil when the content is coded or its length was not announced.
  public var expectedLength: Int64?
  /// Who gave it; `network` unless a cache says otherwise.
  public var source = Source.network

  /// Makes a head whose expected length is a valid `Content-Length`, unless there is a `Content-Encoding`.
  public init(
    url: URL, status: HTTPResponse.Status, version: Version? = nil, headerFields: HTTPFields = [:]
  ) {
    self.init(
      url: url, status: status, version: version, headerFields: headerFields,
      expectedLength: Self.announcedLength(headerFields))
  }

  /// Makes a head whose expected length is known better than by its fields.
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
    guard fields[.contentEncoding] == nil, let length = try? ContentLength(of: fields) else { return nil }
    return length.value
  }

  /// The media type of `Content-Type`; nil when it is absent or not one.
  public var mediaType: MediaType? { MediaType(of: headerFields) }

  /// The character set that `Content-Type` names; nil when it names none.
  public var charset: Charset? { mediaType?.charset }

  /// A safe file name: of `Content-Disposition`, else of the URL, else `download`; never a path.
  public var suggestedFileName: String {
    SuggestedFileName(disposition: ContentDisposition(of: headerFields), url: url, mediaType: mediaType).value
  }
}
