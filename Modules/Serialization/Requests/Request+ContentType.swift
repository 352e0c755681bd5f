public import CurlewCore
import HTTPTypes

extension Request {
  /// Says what the body is, where the request does not say so already.
  public mutating func setContentType(_ mediaType: MediaType) {
    if headerFields[.contentType] == nil { headerFields[.contentType] = mediaType.description }
  }
}
