import CurlewCore
import CurlewCurlTransport

extension CurlTransport {
  /// Whether the loaded libcurl is reliable over HTTP/2.
  static let offersHTTP2 = capabilities().contains(.http2)

  /// A transport whose requests speak a version where they ask for none.
  static func speaking(_ version: VersionPolicy) throws -> CurlTransport {
    var configuration = Configuration()
    configuration.version = version
    return try CurlTransport(configuration)
  }
}
