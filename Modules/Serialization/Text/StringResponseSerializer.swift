public import CurlewCore
public import FoundationEssentials

/// Decodes the body as text in the charset of its `Content-Type`.
public struct StringResponseSerializer: ResponseSerializer {
  /// Which responses are accepted; successful ones of any type by default.
  public var validation: ResponseValidation
  /// The charset of a body whose type names none.
  public var fallback: Charset

  /// Creates a serializer.
  public init(validation: ResponseValidation = ResponseValidation(), fallback: Charset = .utf8) {
    self.validation = validation
    self.fallback = fallback
  }

  /// Returns the text.
  ///
  /// - Throws: `CharsetError`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> String {
    try CharsetDecoder.string(body, as: head?.charset ?? fallback)
  }
}

extension ResponseSerializer where Self == StringResponseSerializer {
  /// Decodes the body of a successful response as text.
  public static var string: StringResponseSerializer { StringResponseSerializer() }
}
