#if Protobuf
public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials
public import SwiftProtobuf

/// Decodes a message from a body in the binary format of Protocol Buffers.
///
/// An empty body is a message without fields.
public struct ProtobufResponseSerializer<Message: SwiftProtobuf.Message>: ResponseSerializer {
  /// Which responses are accepted; successful ones of a Protocol Buffers type by default.
  public var validation = ResponseValidation(mediaTypes: ProtobufMediaTypes.accepted)
  /// How deep messages may be nested (100 by default), and whether unknown fields are kept.
  public var options: BinaryDecodingOptions

  /// Creates a serializer.
  public init(_ type: Message.Type = Message.self, options: BinaryDecodingOptions = BinaryDecodingOptions()) {
    self.options = options
  }

  /// Returns the message.
  ///
  /// - Throws: `BinaryDecodingError` when the body is truncated or malformed, is nested too deep, or lacks a required field.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> Message {
    try Message(serializedBytes: body, options: options)
  }
}

extension ResponseSerializer {
  /// Decodes a message from the body.
  public static func protobuf<Message>(
    _ type: Message.Type = Message.self, options: BinaryDecodingOptions = BinaryDecodingOptions()
  ) -> ProtobufResponseSerializer<Message> where Self == ProtobufResponseSerializer<Message> {
    ProtobufResponseSerializer(type, options: options)
  }
}
#endif
