import ArgumentParser
import CurlewCore
import CurlewCurlTransport
import CurlewURLSessionTransport

/// The choice of transport; the only place where the tool names transports.
enum TransportChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
  case curl
  case urlsession

  /// Creates a transport that sends up to `parallel` requests at once.
  ///
  /// - Throws: `NetworkError`.
  func make(parallel: Int) throws -> any Transport {
    switch self {
    case .curl:
      var configuration = CurlTransport.Configuration()
      configuration.requestsPerOrigin = max(configuration.requestsPerOrigin, parallel)
      configuration.connectionsKept = max(configuration.connectionsKept, parallel)
      return try CurlTransport(configuration)
    case .urlsession:
      return URLSessionTransport()
    }
  }
}
