public import CurlewCore
public import CurlewSerialization
public import FoundationEssentials

/// A picture as it came, with what its header says.
public struct EncodedImage: Sendable, Hashable {
  /// What the header says.
  public var info: ImageInfo
  /// The picture's bytes.
  public var bytes: Data

  /// Makes a picture of its parts.
  public init(info: ImageInfo, bytes: Data) {
    self.info = info
    self.bytes = bytes
  }
}

/// Makes sure that a body is a picture, and says what kind; no pixel is decoded.
public struct ImageResponseSerializer: ResponseSerializer {
  /// Which responses it takes: those of success, of a type that pictures are sent under, unless told.
  public var validation = ResponseValidation(mediaTypes: Self.accepted)
  /// How much a picture may declare.
  public var limits: ImageLimits

  /// Makes a serializer.
  public init(limits: ImageLimits = .default) { self.limits = limits }

  private static let accepted = ImageFormat.acceptableMediaTypes.sorted().compactMap { MediaType($0) }
  fileprivate static let ownTypes = accepted.filter { $0.type == "image" }

  /// The picture; its format is what the bytes show, whatever the type says.
  ///
  /// - Throws: `ImageError`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> EncodedImage {
    EncodedImage(info: try ImageInfo(of: body, limits: limits), bytes: body)
  }
}

extension ResponseSerializer where Self == ImageResponseSerializer {
  /// The body as a picture, with what its header says.
  public static var image: ImageResponseSerializer { ImageResponseSerializer() }
}

extension SerializerRegistry {
  /// Reads the types of pictures, and what begins like one, as `EncodedImage`.
  @discardableResult
  public func useImages(_ serializer: ImageResponseSerializer = .image) -> Registry<Entry>.Token {
    register(serializer, for: ImageResponseSerializer.ownTypes) { prefix in
      (try? ImageInfo.probe(prefix, limits: serializer.limits)) != nil
    }
  }
}
