public import CurlewCore
public import FoundationEssentials

/// Returns the body unchanged.
public struct DataResponseSerializer: ResponseSerializer {
  /// Which responses are accepted; successful ones of any type by default.
  public var validation: ResponseValidation

  /// Creates a serializer.
  public init(validation: ResponseValidation = ResponseValidation()) { self.validation = validation }

  /// Returns the body.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> Data { body }
}

extension ResponseSerializer where Self == DataResponseSerializer {
  /// Returns the body of a successful response, unchanged.
  public static var data: DataResponseSerializer { DataResponseSerializer() }
}
