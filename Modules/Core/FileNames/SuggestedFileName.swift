public import FoundationEssentials

/// A name under which received content can be saved: one harmless path component.
///
/// Whatever a server sends, the value is 1 to 255 bytes of UTF-8 without path separators, control
/// and invisible direction characters, and without what other file systems forbid (`<>:"|?*`);
/// it does not start with a dot or end with one, and is no device name of Windows. So it never
/// leaves its directory and never hides in it. It may well name a file that exists.
public struct SuggestedFileName: Sendable, Hashable, CustomStringConvertible {
  /// The most bytes of a name, which is what Linux file systems allow.
  public static let maximumLength = 255

  /// The name.
  public let value: String

  /// Creates a harmless name of any text; nil when nothing is left of it.
  ///
  /// Of a path, the last component is taken. An extension is kept when the name must be cut.
  public init?(_ text: String) {
    guard let name = FileNameCleaner.clean(text) else { return nil }
    value = FileNameCleaner.finish(name)
  }

  /// Creates the name of a response's content: from its `Content-Disposition`, else from the URL.
  ///
  /// Where the name has no extension, the media type adds one. Without any usable name it is
  /// `download`.
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

  /// Creates the name of a response's content, with the path of its URL.
  public init(disposition: ContentDisposition?, url: URL?, mediaType: MediaType?) {
    self.init(
      disposition: disposition, urlPath: url?.path(percentEncoded: true), mediaType: mediaType)
  }

  /// The name.
  public var description: String { value }
}
