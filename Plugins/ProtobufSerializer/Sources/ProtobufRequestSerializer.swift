#if Protobuf
public import CurlewCore
import CurlewJSON
public import CurlewSerialization
import FoundationEssentials
public import SwiftProtobuf

/// Sends parameters, or any encodable value, as the body of a message.
///
/// The parameters are read as the message's JSON form (Protocol Buffers, "ProtoJSON Format"): the names of its fields in lower camel case or
/// as in the schema, bytes in base64, and dates for a `Timestamp`. For methods without a body the parameters become a query. To send a message
/// itself, use `Body.protobuf(_:)`.
public struct ProtobufRequestSerializer<Message: SwiftProtobuf.Message>: RequestSerializer {
  /// The default fields and options, and which methods use the query instead.
  public var defaults: RequestDefaults
  /// Whether names that the message does not have are ignored; they are an error by default.
  public var ignoresUnknownNames = false

  /// Creates a serializer.
  public init(_ type: Message.Type = Message.self, defaults: RequestDefaults = RequestDefaults()) {
    self.defaults = defaults
  }

  /// Returns the request with the parameters as its body or query.
  ///
  /// - Throws: `JSONDecodingError` for parameters that the message cannot represent; `EncodingError` for values that JSON cannot
  ///   represent.
  public func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
    try defaults.encode(request, parameters, as: .protobuf) { parameters in
      var options = JSONDecodingOptions()
      options.ignoreUnknownFields = ignoresUnknownNames
      let message = try Message(jsonUTF8Bytes: [UInt8](JSONCoding().encode(parameters)), options: options)
      return try message.protobufBytes()
    }
  }
}

extension RequestSerializer {
  /// Sends parameters as the body of a message, or as a query for methods without a body.
  public static func protobuf<Message>(
    _ type: Message.Type = Message.self
  ) -> ProtobufRequestSerializer<Message> where Self == ProtobufRequestSerializer<Message> {
    ProtobufRequestSerializer(type)
  }
}
#endif
