import CurlewCore
public import CurlewSerialization
public import FoundationEssentials

extension Endpoint where Output: Decodable {
  /// Returns a serializer in the session's formats.
  ///
  /// - Throws: `NetworkError` of kind `unsupported` if the session has no format.
  public func serializer(for session: SessionConfiguration) throws -> any ResponseSerializer<Output> {
    guard !session.formats.isEmpty else { throw NetworkError.noFormats(.preparing) }
    return CodingResponseSerializer(Output.self, by: session.formats)
  }
}

extension Endpoint where Output == Data {
  /// Returns the body of a successful response, unchanged.
  public func serializer(for session: SessionConfiguration) throws -> any ResponseSerializer<Output> {
    DataResponseSerializer()
  }
}

extension Endpoint where Output == Void {
  /// Returns nothing, whatever the body of a successful response is.
  public func serializer(for session: SessionConfiguration) throws -> any ResponseSerializer<Output> {
    DataResponseSerializer().map { _ in () }
  }
}
