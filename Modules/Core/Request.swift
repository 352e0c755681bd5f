public import FoundationEssentials
public import HTTPTypes

/// One HTTP request, as a value.
///
/// A request says what to ask and of whom; how it travels (trust, proxy, observers) is the `Exchange`'s matter. Options
/// that are left unset fall through: request over serializer over session.
///
/// ```swift
/// var request = Request(.post, url)
/// request.headerFields[.contentType] = "application/json"
/// request.body = .bytes(json)
/// request.options.timeouts.total = .seconds(30)
/// ```
public struct Request: Sendable {
  @usableFromInline var storage: Storage

  /// Makes a request.
  public init(
    _ method: HTTPRequest.Method = .get, _ url: URL, headerFields: HTTPFields = [:], body: Body = .empty,
    options: RequestOptions = RequestOptions()
  ) {
    storage = Storage(method, url, RequestPlace(url), headerFields, body, options)
  }

  /// Makes a request for a URL given as text.
  ///
  /// What a URL may not hold is refused instead of percent-encoded: a space, CR, LF or NUL in it is a mistake or an attack.
  ///
  /// - Throws: `NetworkError` of kind `invalidURL` when the text is not a URL.
  public init(_ method: HTTPRequest.Method = .get, _ url: String) throws(NetworkError) {
    guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw NetworkError(.invalidURL, stage: .preparing, message: "The URL holds a space or a control character.")
    }
    guard let url = URL(string: url) else {
      throw NetworkError(.invalidURL, stage: .preparing, message: "The text is not a URL.")
    }
    self.init(method, url)
  }

  /// Whom it asks; worked out once for a request and its copies.
  ///
  /// - Throws: `InvalidOriginError` saying what of the URL is missing or wrong.
  public var origin: Origin { get throws(InvalidOriginError) { try place.origin } }

  /// Where the URL leads, shared with copies.
  package var place: RequestPlace { storage.place }

  /// Whether sending this twice is the same as once, by method (RFC 9110 §9.2.2).
  ///
  /// `options.isIdempotent`, where set, has the last word.
  public var isIdempotent: Bool {
    if let isIdempotent = options.isIdempotent { return isIdempotent }
    switch method {
    case .get, .head, .put, .delete, .options, .trace: return true
    default: return false
    }
  }
}

extension Request: CustomStringConvertible {
  /// Method and redacted URL; no field and no body.
  public var description: String { "\(method.rawValue) \(Redaction.standard.redacted(url))" }
}
