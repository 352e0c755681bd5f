public import FoundationEssentials

/// A name for saving received content: one harmless path component.
///
/// Whatever a server sends, the name has 1 to 255 bytes of UTF-8. It contains no path separators, control characters,
/// invisible direction marks, or characters that other file systems forbid (`<>:"|?*`). It neither starts nor ends with a dot,
/// and is not a device name of Windows. A file with this name therefore stays in its directory and is visible there. A file of
/// this name may already exist.
public struct SuggestedFileName: Sendable, Hashable, CustomStringConvertible {
  /// The most bytes of a name, which is the limit of Linux file systems.
  public static let maximumLength = 255

  /// The name.
  public let value: String

  /// Creates a harmless name from any text; nil if nothing is left of it.
  ///
  /// The last component of a path is used. If the name must be shortened, it keeps its extension.
  public init?(_ text: String) {
    guard let name = FileNameCleaner.clean(text) else { return nil }
    value = FileNameCleaner.finish(name)
  }

  /// Creates the name of a response's content.
  ///
  /// The name comes from `Content-Disposition`, otherwise from the URL. If it has no extension, the media type adds one.
  /// Without any usable name it is `download`.
  public init(disposition: ContentDisposition?, urlPath: String?, mediaType: MediaType?) {
    var name =
      disposition?.filename.flatMap(FileNameCleaner.clean)
      ?? urlPath.flatMap(FileNameCleaner.lastComponent).flatMap(FileNameCleaner.clean)
      ?? "download"
    if FileNameCleaner.fileExtension(of: name) == nil, let added = mediaType?.fileExtension {
      name += "." + added
    }
    value = FileNameCleaner.finish(name)
  }

  /// Creates the name of a response's content, given its URL.
  public init(disposition: ContentDisposition?, url: URL?, mediaType: MediaType?) {
    self.init(
      disposition: disposition, urlPath: url?.path(percentEncoded: true), mediaType: mediaType)
  }

  /// The name.
  public var description: String { value }
}
