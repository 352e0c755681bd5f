public import CurlewCore
import HTTPTypes

extension Request {
  /// Sets `Content-Type`, unless the request already has one.
  public mutating func setContentType(_ mediaType: MediaType) {
    if headerFields[.contentType] == nil { headerFields[.contentType] = mediaType.description }
  }
}
