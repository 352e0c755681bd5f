public import CurlewCore
public import FoundationEssentials

/// The body as it is.
public struct DataResponseSerializer: ResponseSerializer {
  /// Which responses it takes: those of success, of any type, unless told.
  public var validation: ResponseValidation

  /// Makes a serializer.
  public init(validation: ResponseValidation = ResponseValidation()) { self.validation = validation }

  /// The body.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> Data { body }
}

extension ResponseSerializer where Self == DataResponseSerializer {
  /// The body as it is, of a response of success.
  public static var data: DataResponseSerializer { DataResponseSerializer() }
}
