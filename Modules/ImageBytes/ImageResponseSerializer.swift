public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials

/// A picture as it was received, with the properties in its header.
public struct EncodedImage: Sendable, Hashable {
  /// The properties in the header.
  public var info: ImageInfo
  /// The picture's bytes.
  public var bytes: Data

  /// Creates a picture from its parts.
  public init(info: ImageInfo, bytes: Data) {
    self.info = info
    self.bytes = bytes
  }
}

/// Checks that a body is a picture and reads its header; decodes no pixel.
public struct ImageResponseSerializer: ResponseSerializer {
  /// Which responses are accepted; successful ones of a picture type by default.
  public var validation = ResponseValidation(mediaTypes: Self.accepted)
  /// Limits for what a picture may declare.
  public var limits: ImageLimits

  /// Creates a serializer.
  public init(limits: ImageLimits = .default) { self.limits = limits }

  private static let accepted = ImageFormat.acceptableMediaTypes.sorted().compactMap { MediaType($0) }

  /// Returns the picture; its format follows from the bytes, not from the type.
  ///
  /// - Throws: `ImageError`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> EncodedImage {
    EncodedImage(info: try ImageInfo(of: body, limits: limits), bytes: body)
  }
}

extension ResponseSerializer where Self == ImageResponseSerializer {
  /// Reads the body as a picture, with the properties in its header.
  public static var image: ImageResponseSerializer { ImageResponseSerializer() }
}
