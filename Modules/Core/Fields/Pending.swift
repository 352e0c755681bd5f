import FoundationEssentials

public struct HostNameError: Error {}
public enum HostName {
  public static func canonical(_ text: String) throws(HostNameError) -> String { text.lowercased() }
}
public struct Charset: Sendable, Hashable {}
public struct MediaType: Sendable, Hashable {
  public init?(parsing: String) { nil }
  public var charset: Charset? { nil }
}
enum SuggestedFileName {
  static func make(contentDisposition: String?, url: URL, mediaType: MediaType?) -> String { "download" }
}
