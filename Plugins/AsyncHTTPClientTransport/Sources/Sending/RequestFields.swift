#if AsyncHTTPClient
import CurlewCore
import FoundationEssentials
import HTTPTypes
import NIOHTTP1

/// The fields of a request as AsyncHTTPClient takes them: text, in order.
enum RequestFields {
  /// Returns the fields, with `Host` first unless the app sets it.
  ///
  /// - Throws: `NetworkError` of kind `unsupported` for a value that is not UTF-8, `invalidRequest` for one with a control
  ///   character.
  static func make(_ fields: HTTPFields, _ origin: Origin) throws(NetworkError) -> HTTPHeaders {
    var headers = HTTPHeaders()
    headers.reserveCapacity(fields.count + 4)
    if !fields.contains(where: { $0.name.canonicalName == "host" }) {
      headers.add(name: "Host", value: origin.authority)
    }
    for field in fields where field.name != .contentLength {
      let bytes = field.withUnsafeBytesOfValue { Array($0) }
      guard let value = String(validating: bytes, as: UTF8.self) else {
        throw .unsupported("AsyncHTTPClient's fields are text, and the value of \(field.name) is not UTF-8.")
      }
      guard bytes.allSatisfy({ $0 == 9 || ($0 >= 32 && $0 != 127) }) else {
        throw NetworkError(
          .invalidRequest, stage: .preparing, message: "The value of \(field.name) contains a control character.")
      }
      headers.add(name: field.name.rawName, value: value)
    }
    return headers
  }
}
#endif
