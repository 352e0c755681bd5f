#if Protobuf
public import CurlewCore

extension MediaType {
  /// `application/protobuf`
  public static let protobuf = MediaType(type: "application", subtype: "protobuf") ?? .octetStream
}

/// The media types that count as Protocol Buffers.
enum ProtobufMediaTypes {
  /// The common type, and the two that servers used before it.
  static let accepted: [MediaType] =
    [
      .protobuf, MediaType(type: "application", subtype: "x-protobuf"),
      MediaType(type: "application", subtype: "vnd.google.protobuf"),
    ].compactMap { $0 }
}
#endif
