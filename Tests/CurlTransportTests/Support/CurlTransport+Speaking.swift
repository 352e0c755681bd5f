import CurlewCore
import CurlewCurlTransport

extension CurlTransport {
  /// A transport whose requests speak a version where they ask for none.
  static func speaking(_ version: VersionPolicy) throws -> CurlTransport {
    var configuration = Configuration()
    configuration.version = version
    return try CurlTransport(configuration)
  }
}
