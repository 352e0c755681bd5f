import ArgumentParser
import CurlewCore
import CurlewCurlTransport

/// Which transport carries the requests: the one place where the tool knows any by name.
enum TransportChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
  case curl

  /// Starts a transport that puts up to `parallel` requests on the wire at once.
  ///
  /// - Throws: `NetworkError`.
  func make(parallel: Int) throws -> any Transport {
    switch self {
    case .curl:
      var configuration = CurlTransport.Configuration()
      configuration.requestsPerOrigin = max(configuration.requestsPerOrigin, parallel)
      configuration.connectionsKept = max(configuration.connectionsKept, parallel)
      return try CurlTransport(configuration)
    }
  }
}
