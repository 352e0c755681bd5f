public import CurlewCore
public import FoundationEssentials

/// The body as text, in the charset that its `Content-Type` names.
public struct StringResponseSerializer: ResponseSerializer {
  /// Which responses it takes: those of success, of any type, unless told.
  public var validation: ResponseValidation
  /// The charset of a body that names none.
  public var fallback: Charset

  /// Makes a serializer.
  public init(validation: ResponseValidation = ResponseValidation(), fallback: Charset = .utf8) {
    self.validation = validation
    self.fallback = fallback
  }

  /// The text.
  ///
  /// - Throws: `CharsetError`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> String {
    try CharsetDecoder.string(body, as: head?.charset ?? fallback)
  }
}

extension ResponseSerializer where Self == StringResponseSerializer {
  /// The body as text, of a response of success.
  public static var string: StringResponseSerializer { StringResponseSerializer() }
}
