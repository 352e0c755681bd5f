public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials

/// The content of a call, which becomes the body of its request.
///
/// It is written for each call, with the configuration of the session, so that one value can serve several sessions. A module
/// adds its own content by extension:
///
/// ```swift
/// extension RequestContent {
///   static func csv(_ rows: [[String]]) -> RequestContent {
///     .text(rows.map { $0.joined(separator: ",") }.joined(separator: "\n"), as: .csv)
///   }
/// }
/// ```
public struct RequestContent: Sendable {
  /// Adds the content to a request.
  public typealias Write = @Sendable (_ request: Request, _ session: SessionConfiguration) throws -> Request

  /// Writes the content; nil for no content.
  let write: Write?

  private init(write: Write?) { self.write = write }

  /// Creates content.
  ///
  /// - Parameter write: Returns the request with its body and `Content-Type`; called for each call. If it throws a
  ///   `NetworkError`, the call fails with that error; any other error becomes the cause of a `NetworkError` of kind
  ///   `serializationFailed`.
  public init(_ write: @escaping Write) { self.write = write }

  /// Returns a request with this content; without content, the request itself.
  ///
  /// Content that wraps other content calls it.
  ///
  /// - Throws: The error of writing the content.
  public func written(to request: Request, _ session: SessionConfiguration) throws -> Request {
    try write?(request, session) ?? request
  }

  /// No content: the session's `requestSerializer` writes the parameters.
  public static let none = RequestContent(write: nil)

  /// Bytes in memory.
  public static func bytes(_ bytes: Data, as mediaType: MediaType = .octetStream) -> RequestContent {
    body(.bytes(bytes), as: mediaType)
  }

  /// Text in UTF-8.
  public static func text(_ text: String, as mediaType: MediaType = .plainText) -> RequestContent {
    body(.text(text), as: mediaType.setting("charset", to: "utf-8") ?? mediaType)
  }

  /// The file at a path, which is opened when it is sent.
  ///
  /// - Parameter mediaType: The type of the file; nil derives it from the extension of the name.
  public static func file(_ path: String, as mediaType: MediaType? = nil) -> RequestContent {
    file(URL(filePath: path, directoryHint: .notDirectory), as: mediaType)
  }

  /// A file, which is opened when it is sent.
  ///
  /// Its length must not change before that.
  ///
  /// - Parameter mediaType: The type of the file; nil derives it from the extension of the name.
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

  /// A value in the first of the session's formats.
  ///
  /// The call fails with `unsupported` if the session has no format.
  public static func encoded(_ value: some Encodable & Sendable) -> RequestContent {
    RequestContent { request, session in
      guard let format = session.formats.first else { throw NetworkError.noFormats(.preparing) }
      return try request.with(.bytes(format.encode(value)), format.mediaType)
    }
  }

  /// A value in the session's formats with a name, such as `"yaml"`.
  ///
  /// The call fails with `unsupported` if the session has no such format.
  public static func encoded(_ value: some Encodable & Sendable, as name: String) -> RequestContent {
    RequestContent { request, session in
      guard let format = session.formats[name] else { throw NetworkError.noFormat(name, in: session.formats) }
      return try request.with(.bytes(format.encode(value)), format.mediaType)
    }
  }

  /// A value in the session's formats for a media type, which becomes the `Content-Type`.
  ///
  /// The type may be a variant of the format, such as `application/vnd.bird+json`. The call fails with `unsupported` if the session
  /// has no format for it.
  public static func encoded(_ value: some Encodable & Sendable, as mediaType: MediaType) -> RequestContent {
    RequestContent { request, session in
      guard let format = session.formats.format(for: mediaType) else {
        throw NetworkError.noFormat(mediaType.essence, in: session.formats)
      }
      return try request.with(.bytes(format.encode(value)), mediaType)
    }
  }

  /// A value in another format than the session's.
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

  /// Variables as a form: named values of any encodable types.
  ///
  /// The call fails with `serializationFailed` for a value that cannot be encoded.
  @_disfavoredOverload
  public static func form(_ fields: KeyValuePairs<String, (any Encodable & Sendable)?>) -> RequestContent {
    RequestContent { request, session in try form(.encoding(fields)).written(to: request, session) }
  }

  /// A value as a form, such as a dictionary of the app's: a `[String: String]`.
  ///
  /// The call fails with `serializationFailed` if the value has no names, such as an array.
  public static func form(encoding value: some Encodable & Sendable) -> RequestContent {
    RequestContent { request, session in try form(Parameters(encoding: value)).written(to: request, session) }
  }

  /// A multipart form: the parameters as fields, then the parts that `build` adds.
  ///
  /// - Parameters:
  ///   - throttle: How fast the body is produced; nil sets no limit.
  ///   - build: Adds the parts; called for each call.
  public static func multipart(
    _ fields: Parameters? = nil, throttle: MultipartForm.Throttle? = nil,
    _ build: @escaping @Sendable (inout MultipartForm) throws -> Void = { _ in }
  ) -> RequestContent {
    RequestContent { request, session in
      try MultipartRequestSerializer(
        defaults: session.requestSerializer.defaults, throttle: throttle, build: build
      ).serialize(request, fields ?? .object([]))
    }
  }
}

extension Parameters {
  /// Returns the parameters of named values.
  static func encoding(_ pairs: KeyValuePairs<String, (any Encodable & Sendable)?>) throws(NetworkError) -> Parameters {
    do { return try Parameters(encoding: pairs) } catch { throw .unwritable("parameters", error) }
  }
}

extension Request {
  /// Returns this request with a body, and with its type unless the call set one.
  fileprivate func with(_ body: Body, _ mediaType: MediaType) -> Request {
    var request = self
    request.body = body
    request.setContentType(mediaType)
    return request
  }
}

extension NetworkError {
  /// Returns the error for a format that a session does not have.
  fileprivate static func noFormat(_ name: String, in formats: FormatRegistry) -> NetworkError {
    guard !formats.isEmpty else { return noFormats(.preparing) }
    return NetworkError(
      .unsupported, stage: .preparing,
      message:
        "The session has no format \(name), but \(formats.names).",
      advice: "Add it with SessionConfiguration.formats.add.")
  }
}
