#if Protobuf
public import CurlewCore
import FoundationEssentials
public import SwiftProtobuf

extension Body {
  /// Creates the body of a message in the binary format of Protocol Buffers.
  ///
  /// Send it with the type `MediaType.protobuf`. Maps are sorted, so that one version of a program always writes the same bytes for the same
  /// message.
  ///
  /// - Throws: `BinaryEncodingError` when a required field is missing, or for an `Any` that cannot be encoded.
  public static func protobuf(_ message: some SwiftProtobuf.Message) throws -> Body {
    .bytes(try message.protobufBytes())
  }
}

extension SwiftProtobuf.Message {
  func protobufBytes() throws -> Data {
    var options = BinaryEncodingOptions()
    options.useDeterministicOrdering = true
    return try serializedBytes(options: options)
  }
}
#endif
