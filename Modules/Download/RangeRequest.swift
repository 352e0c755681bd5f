import CurlewCore
import HTTPTypes

extension Request {
  /// Returns a request whose ranges can be combined.
  ///
  /// It asks for content without a coding, and no cache stores it.
  ///
  /// - Throws: `NetworkError` of kind `invalidRequest` if the request has its own `Range`.
  func askingForRest(from offset: Int64?, _ validator: EntityValidator?) throws(NetworkError) -> Request {
    guard headerFields[.range] == nil, headerFields[.ifRange] == nil else {
      throw NetworkError(
        .invalidRequest, stage: .preparing, message: "A download asks for ranges itself.",
        advice: "Leave Range and If-Range out."
      ).with { $0.request = self }
    }
    var request = self
    request.headerFields[.acceptEncoding] = "identity"
    // If the response is coded nevertheless, decode it if the chain can.
    request.options.decodesContent = true
    request.options.cachePolicy = .noStore
    guard let offset, let validator, let range = ByteRange(from: offset) else { return request }
    request.headerFields[.range] = "bytes=\(range)"
    request.headerFields[.ifRange] = validator.fieldValue
    return request
  }
}
