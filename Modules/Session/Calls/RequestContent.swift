public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials

/// What the body of a call is made of.
///
/// It is written for each call, with the session's configuration at hand, so that one content serves several sessions. A
/// module adds its own by extension:
///
/// ```swift
/// extension RequestContent {
///   static func csv(_ rows: [[String]]) -> RequestContent {
///     .text(rows.map { $0.joined(separator: ",") }.joined(separator: "\n"), as: .csv)
///   }
/// }
/// ```
public struct RequestContent: Sendable {
  /// Puts the content into a request.
  public typealias Write = @Sendable (_ request: Request, _ session: SessionConfiguration) throws -> Request

  /// Nil for no content.
  let write: Write?

  private init(write: Write?) { self.write = write }

  /// Creates content.
  ///
  /// - Parameter write: Returns the request with its body and `Content-Type`; called for each call. What it throws is the
  ///   cause of a `NetworkError` of kind `serializationFailed`, or that error itself if it is one.
  public init(_ write: @escaping Write) { self.write = write }

  /// Returns a request with this content, for content that wraps another; without content, the request itself.
  ///
  /// - Throws: The error of writing it.
  public func written(to request: Request, _ session: SessionConfiguration) throws -> Request {
    try write?(request, session) ?? request
  }

  /// No content: parameters are written by the session's `requestSerializer`.
  public static let none = RequestContent(write: nil)

  /// Bytes in memory.
  public static func bytes(_ bytes: Data, as mediaType: MediaType = .octetStream) -> RequestContent {
    body(.bytes(bytes), as: mediaType)
  }

  /// Text in UTF-8.
  public static func text(_ text: String, as mediaType: MediaType = .plainText) -> RequestContent {
    body(.text(text), as: mediaType.setting("charset", to: "utf-8") ?? mediaType)
  }

  /// A file, which is opened when it is sent; it must then be as long as it is now.
  ///
  /// - Parameter mediaType: Its type; nil chooses by the extension of its name.
  public static func file(_ url: URL, as mediaType: MediaType? = nil) -> RequestContent {
    RequestContent { request, _ in
      request.with(
        try .file(url), mediaType ?? MediaType(fileExtension: url.pathExtension) ?? .octetStream)
    }
  }

  /// Any body, such as a stream.
  public static func body(_ body: Body, as mediaType: MediaType = .octetStream) -> RequestContent {
    RequestContent { request, _ in request.with(body, mediaType) }
  }

  /// A value, written by the session's `coding`.
  ///
  /// A call fails with `unsupported` where the session has none.
  public static func encoded(_ value: some Encodable & Sendable) -> RequestContent {
    RequestContent { request, session in
      guard let coding = session.coding else { throw NetworkError.noCoding }
      return try request.with(.bytes(coding.encode(value)), coding.mediaType)
    }
  }

  /// A value, written by a coding of its own.
  public static func encoded(_ value: some Encodable & Sendable, by coding: some ValueCoding) -> RequestContent {
    RequestContent { request, _ in try request.with(.bytes(coding.encode(value)), coding.mediaType) }
  }

  /// Parameters as a form, `application/x-www-form-urlencoded`.
  public static func form(_ fields: Parameters) -> RequestContent {
    RequestContent { request, session in
      let encoding = (session.requestSerializer as? FormRequestSerializer)?.form
      let text = try (encoding ?? session.requestSerializer.defaults.query).string(fields)
      return request.with(.text(text), .formURLEncoded)
    }
  }

  /// A multipart form: parameters as fields, then the parts that `build` adds.
  ///
  /// - Parameters:
  ///   - throttle: How fast the body is made; nil is as fast as it is taken.
  ///   - build: Called for each call.
  public static func multipart(
    _ fields: Parameters? = nil, throttle: MultipartForm.Throttle? = nil,
    _ build: @escaping @Sendable (inout MultipartForm) throws -> Void = { _ in }
  ) -> RequestContent {
    RequestContent { request, session in
      try MultipartRequestSerializer(
        defaults: session.requestSerializer.defaults, throttle: throttle, build: build
      ).serialize(request, fields)
    }
  }
}

extension Request {
  /// This request with a body, and its type unless the call has set one.
  fileprivate func with(_ body: Body, _ mediaType: MediaType) -> Request {
    var request = self
    request.body = body
    request.setContentType(mediaType)
    return request
  }
}

extension NetworkError {
  static let noCoding = NetworkError(
    .unsupported, stage: .preparing,
    message: "The session has no format for values; set SessionConfiguration.coding, such as .json of CurlewJSON.")
}
